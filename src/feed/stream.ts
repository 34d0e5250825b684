import type { FeedPrice } from './types.ts'

/** Prices to be read one after another; of each address only the newest waits. */
export interface Stream {
  readonly iterator: AsyncIterableIterator<FeedPrice>
  push(price: FeedPrice): void
  /** Ends the iteration; with an error, whoever reads gets that. */
  end(error?: { reason: unknown }): void
}

interface Waiter {
  resolve(result: IteratorResult<FeedPrice, undefined>): void
  reject(error: unknown): void
}

export function createStream(onReturn: () => void): Stream {
  /** At most one for each address, the longest waiting first. */
  const waiting = new Map<string, FeedPrice>()
  const readers: Waiter[] = []
  let ended: { error?: { reason: unknown } | undefined } | undefined
  const done = { done: true, value: undefined } as const

  function end(error?: { reason: unknown }): void {
    if (ended) return
    const [first, ...others] = readers.splice(0)
    // A reason is told once.
    ended = { error: first ? undefined : error }
    waiting.clear()
    if (error) first?.reject(error.reason)
    else first?.resolve(done)
    for (const reader of others) reader.resolve(done)
  }

  return {
    push(price) {
      if (ended) return
      const reader = readers.shift()
      if (reader) reader.resolve({ done: false, value: price })
      else waiting.set(price.address, price)
    },
    end,
    iterator: {
      [Symbol.asyncIterator]() {
        return this
      },
      async next() {
        const [first] = waiting.values()
        if (first !== undefined) {
          waiting.delete(first.address)
          return { done: false, value: first }
        }
        if (ended === undefined) return new Promise((resolve, reject) => readers.push({ resolve, reject }))
        const { error } = ended
        ended = {}
        if (error) throw error.reason
        return done
      },
      async return() {
        onReturn()
        end()
        return done
      },
    },
  }
}
