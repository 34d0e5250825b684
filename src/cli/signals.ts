import type { HostProcess } from './host.ts'

type Signal = 'SIGINT' | 'SIGTERM'

const SIGNALS: readonly Signal[] = ['SIGINT', 'SIGTERM']
/** A program that starts this one may pass on a Ctrl-C that the terminal sends to both. Milliseconds. */
const SAME_PRESS_MS = 500

/** Calls `onFirst` at the first signal, and `onSecond` at one that is not the same press of Ctrl-C. Returns what ends this. */
export function watchSignals(
  host: HostProcess,
  onFirst: (signal: Signal) => void,
  onSecond: (signal: Signal) => void,
): () => void {
  let firstAt: number | undefined
  const listeners = SIGNALS.map((signal) => {
    const listener = () => {
      const now = performance.now()
      if (firstAt === undefined) {
        firstAt = now
        onFirst(signal)
      } else if (now - firstAt > SAME_PRESS_MS) onSecond(signal)
    }
    host.on(signal, listener)
    return { signal, listener }
  })
  return () => {
    for (const { signal, listener } of listeners) host.off(signal, listener)
  }
}
