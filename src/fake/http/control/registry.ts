/** Things that a remote program refers to by a number. */
export interface Registry<T> {
  add(thing: T): number
  /** Throws for an unknown number. */
  get(id: string): T
  /** The same, and removes the thing. */
  take(id: string): T
}

/** Kept things; the oldest is dropped after that. */
const MAX_THINGS = 1_000

export function createRegistry<T>(name: string): Registry<T> {
  const things = new Map<string, T>()
  let added = 0

  function get(id: string): T {
    const thing = things.get(id)
    if (thing === undefined) throw new TypeError(`There is no ${name} ${id}.`)
    return thing
  }

  return {
    get,
    add(thing) {
      things.set(String(++added), thing)
      const [oldest] = things.keys()
      if (things.size > MAX_THINGS && oldest !== undefined) things.delete(oldest)
      return added
    },
    take(id) {
      const thing = get(id)
      things.delete(id)
      return thing
    },
  }
}
