/** `Symbol.asyncDispose`; runtimes without it get what compilers of `await using` look for there. */
export const ASYNC_DISPOSE: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')

/** A variable of the environment, where the runtime has one and lets it be read. */
export function environment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  return tryTo(() => process?.env?.[name]) || undefined
}

/** Sets or deletes a variable of the environment. Returns a function that restores its value. */
export function setVariable(name: string, value: string | undefined): () => void {
  const { env = {} } = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process ?? {}
  const before = env[name]
  if (value === undefined) delete env[name]
  else env[name] = value
  return () => void setVariable(name, before)
}

/** The URL that a text is, or undefined: `URL.canParse` is newer than ES2022, and React Native has none. */
export const parseUrl = (text: string, base?: string): URL | undefined => tryTo(() => new URL(text, base))

/** An error with the name of a `DOMException`, which React Native lacks. */
export function namedError(name: 'AbortError' | 'TimeoutError', message: string): Error {
  return Object.assign(new Error(message), { name })
}

/** An id that nobody else has: `crypto.randomUUID` is missing in React Native, and in a page on plain http. */
export function randomId(): string {
  const random = () => Math.floor(Math.random() * 2 ** 52).toString(36)
  return globalThis.crypto?.randomUUID?.() ?? `${random()}-${random()}-${random()}`
}

/** Whether a body of this `fetch` can be read while it arrives. That of React Native, whatwg-fetch, resolves when the body has ended. */
export const canStream = (fetch: unknown): boolean => (fetch as { polyfill?: unknown } | undefined)?.polyfill !== true

/**
 * How a browser is asked for what it has kept: anew, so that it gets a `304` at most. By itself it would answer with what a front lets it keep, without
 * saying how old that is. Nothing elsewhere: Next renders no static page with it, older Workers refuse it, and whatwg-fetch changes the URL for it.
 */
export const askAnew = (): { cache: 'no-cache' } | undefined =>
  // Pages have it, and their workers.
  'location' in globalThis && canStream(globalThis.fetch) ? { cache: 'no-cache' } : undefined

/** The index of the last element that matches, or -1: `findLastIndex` is newer than ES2022. */
export function lastIndexWhere<T>(list: readonly T[], matches: (element: T) => boolean): number {
  let index = list.length - 1
  while (index >= 0 && !matches(list[index] as T)) index--
  return index
}

/** By its method: where zone.js or Bluebird replaces the global `Promise`, what an async function returns is no instance of it. */
export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as Partial<Promise<T>> | undefined)?.catch === 'function'
}

/** The text without the characters at its end that are `character`. A regular expression takes quadratic time for this. */
export function trimEnd(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end--
  return text.slice(0, end)
}

/** A function that calls another one at the end of the turn, once for all its calls in it. */
export function onceInTurn(run: () => void): () => void {
  let isDue = false
  return () => {
    if (isDue) return
    isDue = true
    queueMicrotask(() => {
      isDue = false
      run()
    })
  }
}

/**
 * Whether a value is an error, of whichever realm. Under Jest, and where a page is imitated, the errors of Node's own modules and of the page belong
 * to others, which `instanceof` does not know.
 */
export function isError(value: unknown): value is Error {
  return value instanceof Error || /^\[object (Error|DOMException)\]$/.test(Object.prototype.toString.call(value))
}

/** What stands for a value that cannot be read: getters, and the traps of a Proxy, may throw. */
export const UNREADABLE = '[object]'

/** The message of what was thrown, or its text; empty where it cannot be read. */
export const messageOf = (thrown: unknown): string =>
  tryTo(() => String(isError(thrown) ? thrown.message : thrown)) ?? ''

/** What a function returns; undefined where it throws. */
export function tryTo<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}

/** Calls a callback, whose failures concern nobody else. What it throws, or rejects with, goes to `onThrow`. */
export function callSafely<T>(
  callback: ((value: T) => unknown) | undefined,
  value: T,
  onThrow?: (error: unknown) => void,
): void {
  try {
    const answer = callback?.(value)
    if (isPromise(answer)) answer.catch((error) => onThrow?.(error))
  } catch (error) {
    onThrow?.(error)
  }
}
