import { isError, tryTo, UNREADABLE } from '../utils/runtime.ts'

const REPLACEMENT = '[redacted]'
/** Bounds the memory of a client whose keys rotate: at most twice as many are remembered. */
const MIN_REMEMBERED = 5_000

/** Secrets are found by their first characters, so none may be shorter. */
const MIN_SECRET_LENGTH = 4

/** Beyond this, a pattern of all starts is slower than a look at each position. */
const MAX_STARTS_IN_PATTERN = 32

/** Keeps secrets out of everything that leaves a client, in one place. */
export class Redactor {
  #matcher = new SecretMatcher()
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
    if (!this.#older.has(secret) && !this.#recent.has(secret)) this.#matcher.add(secret)
    this.#recent.add(secret)
    if (this.#recent.size < MIN_REMEMBERED) return
    this.#older = this.#recent
    this.#recent = new Set()
    this.#matcher = new SecretMatcher()
    for (const remembered of this.#older) this.#matcher.add(remembered)
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
    if (typeof value === 'symbol') return text(String(value))
    // What a function returns or has cannot be cleaned.
    if (typeof value === 'function') return UNREADABLE
    if (typeof value !== 'object' || value === null) return value
    if (seen.has(value)) return seen.get(value)
    const [copy, task] = tryTo(() => startCopy(value)) ?? [UNREADABLE]
    seen.set(value, copy)
    if (task) tasks.push(task)
    return copy
  }

  function startCopy(value: object): [copy: unknown, task?: Task] {
    if (Array.isArray(value)) {
      const copy: unknown[] = []
      return [copy, () => forEach(value, (item) => copy.push(copyOf(item)))]
    }
    if (isError(value)) return startError(value)
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
      const clean = text(String(key))
      const name = clean === String(key) ? key : clean
      const { enumerable = false, get } = Object.getOwnPropertyDescriptor(error, key) ?? {}
      // A getter may return, or throw, something else the next time.
      if (name === key && after === before && get === undefined) continue
      if (name !== key) Reflect.deleteProperty(error, key)
      const target = name === key ? key : String(unique(name))
      Object.defineProperty(error, target, { value: after, enumerable, writable: true, configurable: true })
    }
  }

  const result = copyOf(root)
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) tryTo(task)
  return result as T
}

/** Whether all own properties that need it can be changed. DOMException keeps its message where nobody can change it. */
function canChange(error: Error, text: (value: string) => string): boolean {
  const isClean = (value: unknown) => (typeof value === 'string' ? text(value) === value : !isObject(value))
  const isOwnAndFree = Reflect.ownKeys(error).every((key) => {
    const isCleanKey = text(String(key)) === String(key)
    const { configurable, get, value } = Object.getOwnPropertyDescriptor(error, key) ?? {}
    // A Proxy may answer something else than what it holds.
    if (get === undefined && !Object.is(value, read(error, key))) return false
    if (configurable) return isCleanKey || Object.isExtensible(error)
    return isCleanKey && get === undefined && isClean(value)
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
const read = (target: object, key: PropertyKey): unknown => tryTo(() => Reflect.get(target, key))

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

/** Finds secrets in texts. The time for a text does not grow with the number of secrets. */
class SecretMatcher {
  /** The representations by their first characters, then by length, the longest first. */
  readonly #byStart = new Map<string, Map<number, Set<string>>>()
  /** Finds the next start; undefined when it has to be made anew. Keys of one service usually begin alike. */
  #pattern: RegExp | undefined

  add(secret: string): void {
    for (const text of new Set([secret, JSON.stringify(secret).slice(1, -1), inUrl(secret)].map(fold))) {
      const start = text.slice(0, MIN_SECRET_LENGTH)
      const known = this.#byStart.get(start)
      const sameLength = known?.get(text.length)
      sameLength?.add(text)
      if (sameLength !== undefined) continue
      const byLength = [...(known ?? []), [text.length, new Set([text])] as const].sort(([one], [other]) => other - one)
      this.#byStart.set(start, new Map(byLength))
      this.#pattern = undefined
    }
  }

  /** The text with each occurrence of a secret replaced, in any case of letters and also as JSON and URLs write it. */
  replace(text: string, replacement: string): string {
    if (this.#byStart.size === 0) return text
    const last = text.length - MIN_SECRET_LENGTH
    let clean = ''
    let copied = 0
    let secretStart = 0
    let secretEnd = 0
    for (let from = this.#nextStart(text, 0); from <= last; from = this.#nextStart(text, from + 1)) {
      const end = this.#endOfSecret(text, from)
      if (end === from) continue
      // Secrets that overlap are replaced together, so that no part of one is left.
      if (from >= secretEnd) {
        if (secretEnd > 0) clean += text.slice(copied, secretStart) + replacement
        copied = secretEnd
        secretStart = from
      }
      secretEnd = Math.max(secretEnd, end)
    }
    return secretEnd === 0 ? text : clean + text.slice(copied, secretStart) + replacement + text.slice(secretEnd)
  }

  /** The next position at which a secret may begin, or the length of the text. */
  #nextStart(text: string, from: number): number {
    if (this.#byStart.size > MAX_STARTS_IN_PATTERN) return from
    this.#pattern ??= new RegExp([...this.#byStart.keys()].map(escapePattern).join('|'), 'gi')
    this.#pattern.lastIndex = from
    return this.#pattern.exec(text)?.index ?? text.length
  }

  /** Where the longest secret that begins at `from` ends, or `from` where none does. */
  #endOfSecret(text: string, from: number): number {
    const byLength = this.#byStart.get(fold(text.slice(from, from + MIN_SECRET_LENGTH))) ?? []
    for (const [length, texts] of byLength) {
      if (from + length <= text.length && texts.has(fold(text.slice(from, from + length)))) return from + length
    }
    return from
  }
}

const escapePattern = (start: string): string => start.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Half of a surrogate pair stands in no URL. */
const inUrl = (secret: string): string => tryTo(() => encodeURIComponent(secret)) ?? secret

/** Lower case for ASCII only, so that the length stays the same. */
function fold(text: string): string {
  return /[A-Z]/.test(text) ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text
}
