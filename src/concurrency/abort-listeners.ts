/** Calls `callback` when the signal aborts. Returns a function that stops listening. */
export type ListenForAbort = (signal: AbortSignal | undefined, callback: () => void) => () => void

interface Shared {
  readonly callbacks: Set<() => void>
  onAbort(): void
}

/**
 * Adds one listener to each signal, however many callbacks it has: programs share one signal between many calls, and Node
 * prints a warning from the eleventh listener on.
 */
export function createAbortListeners(): ListenForAbort {
  const shared = new WeakMap<AbortSignal, Shared>()

  function open(signal: AbortSignal): Shared {
    const callbacks = new Set<() => void>()
    const created = {
      callbacks,
      onAbort() {
        // A copy, because callbacks may stop listening while they are called.
        for (const callback of [...callbacks]) callback()
      },
    }
    shared.set(signal, created)
    return created
  }

  return (signal, callback) => {
    if (signal === undefined) return () => {}
    const { callbacks, onAbort } = shared.get(signal) ?? open(signal)
    if (callbacks.size === 0) signal.addEventListener('abort', onAbort)
    callbacks.add(callback)
    return () => {
      callbacks.delete(callback)
      if (callbacks.size === 0) signal.removeEventListener('abort', onAbort)
    }
  }
}
