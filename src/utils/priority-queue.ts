/** A priority queue whose items can change their keys or be removed; each operation takes O(log n). */
export interface PriorityQueue<T> {
  readonly size: number
  /** The item with the smallest key. */
  peek(): T | undefined
  pop(): T | undefined
  /** Adds an item, or moves it if its key has changed. */
  put(item: T): void
  delete(item: T): void
  /** In no particular order. */
  items(): readonly T[]
}

/** A binary heap that knows the position of each item. */
export function createPriorityQueue<T>(keyOf: (item: T) => number): PriorityQueue<T> {
  const heap: T[] = []
  const positions = new Map<T, number>()

  const setAt = (item: T, index: number) => {
    heap[index] = item
    positions.set(item, index)
  }
  const keyAt = (index: number) => {
    const item = heap[index]
    return item === undefined ? Number.POSITIVE_INFINITY : keyOf(item)
  }

  function rise(item: T, from: number): void {
    const key = keyOf(item)
    let index = from
    while (index > 0) {
      const above = (index - 1) >> 1
      const parent = heap[above] as T
      if (keyOf(parent) <= key) break
      setAt(parent, index)
      index = above
    }
    setAt(item, index)
  }

  function sink(item: T, from: number): void {
    const key = keyOf(item)
    let index = from
    for (;;) {
      const left = 2 * index + 1
      const below = keyAt(left + 1) < keyAt(left) ? left + 1 : left
      if (below >= heap.length || keyAt(below) >= key) break
      setAt(heap[below] as T, index)
      index = below
    }
    setAt(item, index)
  }

  function remove(item: T): void {
    const index = positions.get(item)
    if (index === undefined) return
    positions.delete(item)
    const last = heap.pop() as T
    if (index === heap.length) return
    sink(last, index)
    rise(last, positions.get(last) as number)
  }

  return {
    get size() {
      return heap.length
    },
    peek: () => heap[0],
    pop() {
      const first = heap[0]
      if (first !== undefined) remove(first)
      return first
    },
    put(item) {
      const index = positions.get(item) ?? heap.length
      sink(item, index)
      rise(item, positions.get(item) as number)
    },
    delete: remove,
    items: () => heap,
  }
}
