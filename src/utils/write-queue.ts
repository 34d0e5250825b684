/** Writes one after another. */
export function createWriteQueue(write: () => Promise<void>) {
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<void> | undefined
  const begin = () => {
    next = undefined
    const written = write()
    running = written.catch(() => {})
    return written
  }
  return {
    /** Resolves when a write that began after this call has succeeded. Calls made while one runs share the next one. */
    write: (): Promise<void> => (next ??= running.then(begin)),
    /** Resolves when no write runs or waits. */
    async idle() {
      await next?.catch(() => {})
      await running
    },
  }
}
