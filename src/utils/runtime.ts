/** `Symbol.asyncDispose`; runtimes without it get what compilers of `await using` look for there. */
export const ASYNC_DISPOSE: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')

/** A variable of the environment, where the runtime has one and lets it be read. */
export function environment(name: string): string | undefined {
  try {
    const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
    return process?.env?.[name] || undefined
  } catch {
    return undefined
  }
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

/** The message of what was thrown, or its text. */
export function messageOf(error: unknown): string {
  return isError(error) ? error.message : String(error)
}
