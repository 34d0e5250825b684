/** An async iterator that keeps only the newest unread value of each key. */
export interface LatestValueStream<Value> {
  readonly iterator: AsyncIterableIterator<Value>
  push(value: Value): void
  /** Ends the iteration. With an error, the next read rejects with its reason. */
  end(error?: { reason: unknown }): void
}

interface PendingRead<Value> {
  resolve(result: IteratorResult<Value, undefined>): void
  reject(error: unknown): void
}

/** `onRead` changes a value when it is read after it has waited. */
export function createLatestValueStream<Value>(
  onReturn: () => void,
  onRead: (value: Value) => Value,
  keyOf: (value: Value) => string,
): LatestValueStream<Value> {
  /** At most one for each key, oldest first. */
  const unread = new Map<string, Value>()
  const reads: PendingRead<Value>[] = []
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
    push(value) {
      if (ended) return
      const read = reads.shift()
      if (read) read.resolve({ done: false, value })
      else unread.set(keyOf(value), value)
    },
    end,
    iterator: {
      [Symbol.asyncIterator]() {
        return this
      },
      async next() {
        for (const [key, value] of unread) {
          unread.delete(key)
          return { done: false, value: onRead(value) }
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
