/** A first-in, first-out queue. Items that had a turn before and have to wait again come before those that had none. */
export interface WaitQueue<T> {
  readonly size: number
  enqueue(item: T, isReturning: boolean): void
  remove(item: T): void
  first(): T | undefined
  all(): T[]
}

export function createWaitQueue<T>(): WaitQueue<T> {
  const returning = new Set<T>()
  const waiting = new Set<T>()
  return {
    get size() {
      return returning.size + waiting.size
    },
    enqueue(item, isReturning) {
      if (isReturning) returning.add(item)
      else waiting.add(item)
    },
    remove(item) {
      if (!returning.delete(item)) waiting.delete(item)
    },
    first() {
      const [first] = returning.size > 0 ? returning : waiting
      return first
    },
    all: () => [...returning, ...waiting],
  }
}
