/** A binary heap that knows the position of each item: keys can change, and each operation takes O(log n). The smallest key comes first. */
export class PriorityQueue<T> {
  readonly #keyOf: (item: T) => number
  readonly #heap: T[] = []
  readonly #positions = new Map<T, number>()

  constructor(keyOf: (item: T) => number) {
    this.#keyOf = keyOf
  }

  get size(): number {
    return this.#heap.length
  }

  peek(): T | undefined {
    return this.#heap[0]
  }

  /** In no particular order. */
  items(): readonly T[] {
    return this.#heap
  }

  /** Adds an item, or moves it if its key has changed. */
  put(item: T): void {
    this.#sink(item, this.#positions.get(item) ?? this.#heap.length)
    this.#rise(item)
  }

  delete(item: T): void {
    const index = this.#positions.get(item)
    if (index === undefined) return
    this.#positions.delete(item)
    const last = this.#heap.pop() as T
    if (index === this.#heap.length) return
    this.#sink(last, index)
    this.#rise(last)
  }

  #setAt(item: T, index: number): void {
    this.#heap[index] = item
    this.#positions.set(item, index)
  }

  #keyAt(index: number): number {
    const item = this.#heap[index]
    return item === undefined ? Number.POSITIVE_INFINITY : this.#keyOf(item)
  }

  #rise(item: T): void {
    const key = this.#keyOf(item)
    let index = this.#positions.get(item) as number
    while (index > 0) {
      const above = (index - 1) >> 1
      const parent = this.#heap[above] as T
      if (this.#keyOf(parent) <= key) break
      this.#setAt(parent, index)
      index = above
    }
    this.#setAt(item, index)
  }

  #sink(item: T, from: number): void {
    const key = this.#keyOf(item)
    let index = from
    for (;;) {
      const left = 2 * index + 1
      const below = this.#keyAt(left + 1) < this.#keyAt(left) ? left + 1 : left
      if (below >= this.#heap.length || this.#keyAt(below) >= key) break
      this.#setAt(this.#heap[below] as T, index)
      index = below
    }
    this.#setAt(item, index)
  }
}
