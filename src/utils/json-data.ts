import { tryTo } from './runtime.ts'

/** Deeper data than this is no data of the service, and more than `JSON.stringify` may be given. */
const MAX_DEPTH = 500
const TOO_DEEP = `[more than ${MAX_DEPTH} levels deep]`

/** What a JSON text holds, or undefined where the text is none. */
export const parseJson = (text: string | undefined): unknown =>
  text === undefined ? undefined : tryTo(() => JSON.parse(text))

/** More levels than any answer has, and fewer than overflow the stack of what reads them, such as `JSON.stringify`. */
export const MAX_LEVELS = 1_000

/** Whether a JSON text has more than `MAX_LEVELS` levels. */
export function isTooDeep(text: string): boolean {
  if (countUpTo(MAX_LEVELS + 1, text, '[') + countUpTo(MAX_LEVELS + 1, text, '{') <= MAX_LEVELS) return false
  let level = 0
  let isInText = false
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? ''
    if (character === '"') isInText = !isInText
    else if (isInText) index += character === '\\' ? 1 : 0
    else if (character === '[' || character === '{') level++
    else if (character === ']' || character === '}') level--
    if (level > MAX_LEVELS) return true
  }
  return false
}

/** How often a text has a character: the search for it is many times as fast as a look at each. */
export function countUpTo(max: number, text: string, mark: string): number {
  let count = 0
  for (let at = text.indexOf(mark); at >= 0 && count < max; at = text.indexOf(mark, at + 1)) count++
  return count
}

/** Another copy of what `JSON.parse` made; other objects stay as they are. It uses no recursion, because no depth may overflow the stack. */
export function copyData<T>(data: T): T {
  return copy(data, Number.POSITIVE_INFINITY) as T
}

/** A copy without what is so deep that `JSON.stringify` would overflow the stack. */
export function limitDepth(data: unknown): unknown {
  return copy(data, MAX_DEPTH)
}

function copy(root: unknown, maxDepth: number): unknown {
  const copies = new Map<object, object>()
  const tasks: { from: object; to: object; depth: number }[] = []
  const copyOf = (value: unknown, depth: number): unknown => {
    if (!isData(value)) return value
    const known = copies.get(value)
    if (known !== undefined) return known
    if (depth > maxDepth) return TOO_DEEP
    const to = Array.isArray(value) ? [] : Object.create(Object.getPrototypeOf(value))
    copies.set(value, to)
    tasks.push({ from: value, to, depth })
    return to
  }
  const result = copyOf(root, 0)
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    const { from, to, depth } = task
    for (const [key, item] of Object.entries(from)) {
      // Unlike an assignment, this makes `__proto__` an ordinary property.
      const value = copyOf(item, depth + 1)
      Object.defineProperty(to, key, { value, enumerable: true, writable: true, configurable: true })
    }
  }
  return result
}

function isData(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return true
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
