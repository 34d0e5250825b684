import { MIN_SECRET_LENGTH, SecretMatcher } from './secret-matcher.ts'

const REPLACEMENT = '[redacted]'
/** Bounds the memory of a client whose keys rotate: at most twice as many are remembered. */
const MIN_REMEMBERED = 5_000

/** Keeps secrets out of everything that leaves a client, in one place. */
export class Redactor {
  readonly #matcher = new SecretMatcher()
  /** In two generations: to delete the oldest one of a Set each time is slow. */
  #recent = new Set<string>()
  #older = new Set<string>()

  readonly text = (value: string): string => this.#matcher.replace(value, REPLACEMENT)

  /** Takes the secrets out of an error, its body and everything that it was caused by, in place where that is possible. */
  readonly error = <T>(error: T): T => {
    const isEmpty = this.#recent.size + this.#older.size === 0
    return isEmpty || isClean(error, this.text) ? error : redactValue(error, this.text)
  }

  /** From now on this text is redacted. The last 5,000 at least are remembered. */
  add(secret: string): void {
    // Shorter "keys" would black out ordinary words.
    if (secret.length < MIN_SECRET_LENGTH) return
    if (!this.#older.delete(secret) && !this.#recent.has(secret)) this.#matcher.add(secret)
    this.#recent.add(secret)
    if (this.#recent.size < MIN_REMEMBERED) return
    for (const forgotten of this.#older) this.#matcher.remove(forgotten)
    this.#older = this.#recent
    this.#recent = new Set()
  }
}

/** Whether there is nothing to redact in what most calls have as parameters: a plain object of texts, numbers and lists of texts. */
function isClean(value: unknown, text: (value: string) => string): boolean {
  const isCleanText = (item: unknown) => typeof item === 'string' && text(item) === item
  const isCleanList = (list: unknown[]) => list.every((item) => typeof item === 'string') && isCleanText(list.join(' '))
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return false
  for (const key in value) {
    const item = value[key as keyof typeof value] as unknown
    const isCleanItem = Array.isArray(item) ? isCleanList(item) : typeof item === 'number' || isCleanText(item)
    if (!isCleanItem || text(key) !== key) return false
  }
  return true
}

/** One object that still has to be filled or cleaned; a list of these instead of recursion, so that no depth is too deep. */
type Task = () => void

function redactValue<T>(root: T, text: (value: string) => string): T {
  const seen = new Map<object, unknown>()
  const tasks: Task[] = []

  function copyOf(value: unknown): unknown {
    if (typeof value === 'string') return text(value)
    if (typeof value !== 'object' || value === null) return value
    if (seen.has(value)) return seen.get(value)
    const [copy, task] = startCopy(value)
    seen.set(value, copy)
    if (task) tasks.push(task)
    return copy
  }

  function startCopy(value: object): [copy: unknown, task?: Task] {
    if (Array.isArray(value)) {
      const copy: unknown[] = []
      return [copy, () => forEach(value, (item) => copy.push(copyOf(item)))]
    }
    if (value instanceof Error) return startError(value)
    if (value instanceof Map) {
      const copy = new Map<unknown, unknown>()
      const unique = uniqueName((name) => copy.has(name))
      return [copy, () => forEach(value, ([key, item]) => copy.set(unique(copyOf(key)), copyOf(item)))]
    }
    if (value instanceof Set) {
      const copy = new Set<unknown>()
      return [copy, () => forEach(value, (item) => copy.add(copyOf(item)))]
    }
    const prototype = Object.getPrototypeOf(value)
    if (prototype !== Object.prototype && prototype !== null) return [foreign(value)]
    const copy = {}
    const unique = uniqueName((name) => Object.hasOwn(copy, String(name)))
    return [copy, () => forEach(Object.keys(value), (key) => define(copy, unique(text(key)), copyOf(read(value, key))))]
  }

  /** Keeps only the class of an object whose class is unknown: a Request holds its headers. */
  function foreign(value: object): string {
    return value instanceof Date ? String(value) : text(`[${String(value.constructor?.name ?? 'object')}]`)
  }

  function startError(error: Error): [copy: Error, task: Task] {
    if (canChange(error, text)) return [error, () => changeError(error)]
    const copy = new Error(text(error.message))
    copy.name = text(error.name)
    return [copy, () => error.cause !== undefined && define(copy, 'cause', copyOf(error.cause))]
  }

  function changeError(error: Error): void {
    const unique = uniqueName((name) => Object.hasOwn(error, String(name)))
    for (const key of Reflect.ownKeys(error)) {
      const before = read(error, key)
      const after = copyOf(before)
      const name = typeof key === 'string' ? text(key) : key
      if (name === key && after === before) continue
      const enumerable = Object.getOwnPropertyDescriptor(error, key)?.enumerable ?? false
      if (name !== key) Reflect.deleteProperty(error, key)
      const target = name === key ? key : String(unique(name))
      Object.defineProperty(error, target, { value: after, enumerable, writable: true, configurable: true })
    }
  }

  const result = copyOf(root)
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) task()
  return result as T
}

/** Whether all own properties that need it can be changed. DOMException keeps its message where nobody can change it. */
function canChange(error: Error, text: (value: string) => string): boolean {
  const isClean = (value: unknown) => (typeof value === 'string' ? text(value) === value : !isObject(value))
  const isOwnAndFree = Reflect.ownKeys(error).every((key) => {
    const isCleanKey = typeof key === 'symbol' || text(key) === key
    if (Object.getOwnPropertyDescriptor(error, key)?.configurable) return isCleanKey || Object.isExtensible(error)
    return isCleanKey && isClean(read(error, key))
  })
  const hasCleanGetters = (['message', 'stack', 'name'] as const).every(
    (key) => Object.hasOwn(error, key) || isClean(read(error, key)),
  )
  return isOwnAndFree && hasCleanGetters
}

/** Makes names differ that are equal once they are redacted. */
function uniqueName(isTaken: (name: unknown) => boolean): (name: unknown) => unknown {
  let copies = 1
  return (name) => {
    let free = name
    while (isTaken(free)) free = `${String(name)} (${++copies})`
    return free
  }
}

/** Unlike an assignment, it makes `__proto__` an ordinary property. */
function define(target: object, key: unknown, value: unknown): void {
  Object.defineProperty(target, String(key), { value, enumerable: true, writable: true, configurable: true })
}

function forEach<Item>(items: Iterable<Item>, visit: (item: Item) => unknown): void {
  for (const item of items) visit(item)
}

/** A getter of somebody else's object may throw. */
function read(target: object, key: PropertyKey): unknown {
  try {
    return Reflect.get(target, key)
  } catch {
    return undefined
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
