import { afterEach, beforeEach } from 'vitest'

/** The unhandled rejections of each test in this file, which are kept from vitest. */
export function collectUnhandled(): unknown[] {
  const unhandled: unknown[] = []
  const onUnhandled = (reason: unknown) => void unhandled.push(reason)
  let others: NodeJS.UnhandledRejectionListener[] = []
  beforeEach(() => {
    others = process.listeners('unhandledRejection')
    process.removeAllListeners('unhandledRejection')
    process.on('unhandledRejection', onUnhandled)
    unhandled.length = 0
  })
  afterEach(() => {
    process.off('unhandledRejection', onUnhandled)
    for (const listener of others) process.on('unhandledRejection', listener)
  })
  return unhandled
}
