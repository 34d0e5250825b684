/** A priority queue whose items can be moved and taken out; each step is O(log n). */
export interface Queue<T> {
  readonly size: number
  /** The item with the smallest key. */
  peek(): T | undefined
  pop(): T | undefined
  /** Puts an item in, or where its changed key belongs. */
  put(item: T): void
  delete(item: T): void
  /** In no particular order. */
  items(): readonly T[]
}

/** A binary heap that knows where each item is. */
export function createQueue<T>(keyOf: (item: T) => number): Queue<T> {
  const heap: T[] = []
  const places = new Map<T, number>()

  const place = (item: T, index: number) => {
    heap[index] = item
    places.set(item, index)
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
      place(parent, index)
      index = above
    }
    place(item, index)
  }

  function sink(item: T, from: number): void {
    const key = keyOf(item)
    let index = from
    for (;;) {
      const left = 2 * index + 1
      const below = keyAt(left + 1) < keyAt(left) ? left + 1 : left
      if (below >= heap.length || keyAt(below) >= key) break
      place(heap[below] as T, index)
      index = below
    }
    place(item, index)
  }

  function remove(item: T): void {
    const index = places.get(item)
    if (index === undefined) return
    places.delete(item)
    const last = heap.pop() as T
    if (index === heap.length) return
    sink(last, index)
    rise(last, places.get(last) as number)
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
      const index = places.get(item) ?? heap.length
      sink(item, index)
      rise(item, places.get(item) as number)
    },
    delete: remove,
    items: () => heap,
  }
}
