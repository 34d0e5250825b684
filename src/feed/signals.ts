/** Calls back when a caller's signal aborts; returns how to stop listening. */
export type Listen = (signal: AbortSignal | undefined, callback: () => void) => () => void

/** One listener on each signal, however many look-ups and watches share it: a page may use one controller for all it does. */
export function createListen(): Listen {
  const crowds = new WeakMap<AbortSignal, { callbacks: Set<() => void>; onAbort(): void }>()

  function crowdOf(signal: AbortSignal) {
    const callbacks = new Set<() => void>()
    const crowd = crowds.get(signal) ?? {
      callbacks,
      onAbort() {
        for (const callback of [...callbacks]) callback()
      },
    }
    crowds.set(signal, crowd)
    return crowd
  }

  return (signal, callback) => {
    if (signal === undefined) return () => {}
    const { callbacks, onAbort } = crowdOf(signal)
    if (callbacks.size === 0) signal.addEventListener('abort', onAbort)
    callbacks.add(callback)
    return () => {
      callbacks.delete(callback)
      if (callbacks.size === 0) signal.removeEventListener('abort', onAbort)
    }
  }
}
