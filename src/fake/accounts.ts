import { asCount, show } from './input.ts'
import { type KeyOptions, type KeyState, readKey } from './options.ts'

/** The keys and what is left on them. */
export interface Accounts {
  /** The key that was named first. */
  first(): string
  find(key: string | undefined): KeyState | undefined
  /** Throws for a key that does not exist. */
  get(key: string): KeyState
  add(key: string, options: KeyOptions): void
  set(key: string, credits: number): void
  all(): Record<string, KeyState>
}

export function createAccounts(keys: Record<string, KeyState>): Accounts {
  const known = new Map(Object.entries(keys).map(([key, state]) => [key, { ...state }]))

  function get(key: string): KeyState {
    const found = known.get(key)
    if (found) return found
    throw new TypeError(`There is no key ${show(key)}. The keys are: ${[...known.keys()].join(', ') || 'none'}.`)
  }

  return {
    get,
    first() {
      const [key] = known.keys()
      if (key === undefined) throw new TypeError('This fake was made without keys.')
      return key
    },
    find: (key) => (key === undefined ? undefined : known.get(key)),
    add: (key, options) => void known.set(key, readKey(key, options)),
    set(key, credits) {
      get(key).credits = asCount('credits', credits)
    },
    all: () => Object.fromEntries([...known].map(([key, state]) => [key, { ...state }])),
  }
}
