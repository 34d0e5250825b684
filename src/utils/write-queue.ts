export interface WriteQueue {
  /** Resolves when a write that began after this call has succeeded. Calls made while one runs share the next one. */
  write(): Promise<void>
  /** Resolves when no write runs or waits. */
  idle(): Promise<void>
}

/** Writes one after another. */
export function createWriteQueue(write: () => Promise<void>): WriteQueue {
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<void> | undefined
  const begin = () => {
    next = undefined
    const written = write()
    running = written.catch(() => {})
    return written
  }
  return {
    write: () => (next ??= running.then(begin)),
    async idle() {
      await next?.catch(() => {})
      await running
    },
  }
}
