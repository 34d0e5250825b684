import { cut, FakeUsageError } from '../../rules/check-options.ts'

/** Things that a remote program refers to by a number. */
export interface Registry<T> {
  add(thing: T): number
  /** Throws for an unknown number. */
  get(id: string): T
  /** The same, and removes the thing. */
  take(id: string): T
}

const DEFAULT_MAX_THINGS = 1_000

/** Keeps the newest `max` things. */
export function createRegistry<T>(name: string, max = DEFAULT_MAX_THINGS): Registry<T> {
  const things = new Map<string, T>()
  let added = 0

  function get(id: string): T {
    const thing = things.get(id)
    if (thing === undefined) throw new FakeUsageError(`There is no ${name} ${cut(id)}. The newest ${max} are kept.`)
    return thing
  }

  return {
    get,
    add(thing) {
      things.set(String(++added), thing)
      const [oldest] = things.keys()
      if (things.size > max && oldest !== undefined) things.delete(oldest)
      return added
    },
    take(id) {
      const thing = get(id)
      things.delete(id)
      return thing
    },
  }
}
