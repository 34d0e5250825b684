/** A set in the order of addition that mostly has one item: a `Set` takes 200 bytes, and some more when its last item is deleted. */
export class SmallSet<Item extends object> {
  #first: Item | undefined
  #others: Set<Item> | undefined

  get size(): number {
    return (this.#first === undefined ? 0 : 1) + (this.#others?.size ?? 0)
  }

  add(item: Item): void {
    if (this.size === 0) this.#first = item
    else if (this.#first !== item) this.#others = (this.#others ?? new Set()).add(item)
  }

  /** Whether it had the item. */
  delete(item: Item): boolean {
    if (this.#first !== item) return this.#others?.delete(item) ?? false
    this.#first = undefined
    return true
  }

  /** A copy, so that items may be deleted meanwhile. */
  items(): Item[] {
    const others = this.#others ?? []
    return this.#first === undefined ? [...others] : [this.#first, ...others]
  }
}
