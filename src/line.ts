/** A waiting line: first come, first served; but who had a turn before, and has to wait again, stands before those who had none. */
export interface Line<T> {
  readonly size: number
  join(item: T, again: boolean): void
  leave(item: T): void
  first(): T | undefined
  all(): T[]
}

export function createLine<T>(): Line<T> {
  const returning = new Set<T>()
  const waiting = new Set<T>()
  return {
    get size() {
      return returning.size + waiting.size
    },
    join(item, again) {
      if (again) returning.add(item)
      else waiting.add(item)
    },
    leave(item) {
      if (!returning.delete(item)) waiting.delete(item)
    },
    first() {
      const [first] = returning.size > 0 ? returning : waiting
      return first
    },
    all: () => [...returning, ...waiting],
  }
}
