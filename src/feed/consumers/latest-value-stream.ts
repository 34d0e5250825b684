import type { FeedPrice } from '../types.ts'

/** An async iterator of prices that keeps only the newest unread price of each address. */
export interface LatestValueStream {
  readonly iterator: AsyncIterableIterator<FeedPrice>
  push(price: FeedPrice): void
  /** Ends the iteration. With an error, the next read rejects with its reason. */
  end(error?: { reason: unknown }): void
}

interface PendingRead {
  resolve(result: IteratorResult<FeedPrice, undefined>): void
  reject(error: unknown): void
}

/** `onRead` changes a price when it is read after it has waited. */
export function createLatestValueStream(
  onReturn: () => void,
  onRead: (price: FeedPrice) => FeedPrice,
): LatestValueStream {
  /** At most one for each address, oldest first. */
  const unread = new Map<string, FeedPrice>()
  const reads: PendingRead[] = []
  let ended: { error?: { reason: unknown } | undefined } | undefined
  const done = { done: true, value: undefined } as const

  function end(error?: { reason: unknown }): void {
    if (ended) return
    const [first, ...others] = reads.splice(0)
    // Only one read rejects.
    ended = { error: first ? undefined : error }
    unread.clear()
    if (error) first?.reject(error.reason)
    else first?.resolve(done)
    for (const read of others) read.resolve(done)
  }

  return {
    push(price) {
      if (ended) return
      const read = reads.shift()
      if (read) read.resolve({ done: false, value: price })
      else unread.set(price.address, price)
    },
    end,
    iterator: {
      [Symbol.asyncIterator]() {
        return this
      },
      async next() {
        const [first] = unread.values()
        if (first !== undefined) {
          unread.delete(first.address)
          return { done: false, value: onRead(first) }
        }
        if (ended === undefined) return new Promise((resolve, reject) => reads.push({ resolve, reject }))
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
