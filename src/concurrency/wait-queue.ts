/** A queue in the order of arrival. Items that come back keep their place. */
export interface WaitQueue<T> {
  readonly size: number
  /** @param arrival the number of the item in the order of arrival */
  enqueue(item: T, arrival: number): void
  remove(item: T): void
  first(): T | undefined
  all(): T[]
}

export function createWaitQueue<T>(): WaitQueue<T> {
  let arrivals = new Map<T, number>()
  let latest = Number.NEGATIVE_INFINITY
  let isSorted = true

  function sorted(): Map<T, number> {
    if (!isSorted) arrivals = new Map([...arrivals].sort(([, one], [, other]) => one - other))
    isSorted = true
    return arrivals
  }

  return {
    get size() {
      return arrivals.size
    },
    enqueue(item, arrival) {
      if (arrivals.size === 0) latest = arrival
      if (arrival < latest) isSorted = false
      else latest = arrival
      arrivals.set(item, arrival)
    },
    remove(item) {
      arrivals.delete(item)
    },
    first() {
      const [first] = sorted().keys()
      return first
    },
    all: () => [...sorted().keys()],
  }
}
