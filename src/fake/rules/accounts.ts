import { asCount, FakeUsageError, show } from './check-options.ts'
import { checkValue, count, object, type Schema, text } from './schema.ts'

/** What a key starts with: an amount of credits, or credits and a tier. */
export type KeyOptions =
  | number
  | {
      /** Credits at the start. */
      credits: number
      /** Tier of the key, as `account.me` reports it. */
      tier?: string
    }

/** Credits and tier of a key. */
export interface KeyState {
  /** Credits that are left. */
  credits: number
  /** Tier of the key. */
  tier: string
}

const KEY: Schema = { anyOf: [count, object({ credits: count, tier: text }, ['credits'])] }
export const KEYS: Schema = { type: 'object', additionalProperties: KEY }

const DEFAULT_TIER = 'standard'

/** The keys and their remaining credits. */
export interface Accounts {
  /** The first key of the options. */
  first(): string
  find(key: string | undefined): KeyState | undefined
  /** Throws for a key that does not exist. */
  get(key: string): KeyState
  add(key: string, options: KeyOptions): void
  set(key: string, credits: number): void
  all(): Record<string, KeyState>
  /** Adds several keys, or none if one of them is wrong. */
  addAll(keys: Record<string, KeyOptions>): void
  /** Replaces all keys. */
  load(keys: Record<string, KeyState>): void
}

export function createAccounts(keys: Record<string, KeyState>): Accounts {
  const known = new Map(Object.entries(keys).map(([key, state]) => [key, { ...state }]))

  function get(key: string): KeyState {
    const found = known.get(key)
    if (found) return found
    throw new FakeUsageError(`There is no key ${show(key)}. The keys are: ${[...known.keys()].join(', ') || 'none'}.`)
  }

  return {
    get,
    first() {
      const [key] = known.keys()
      if (key === undefined) throw new FakeUsageError('This fake was made without keys.')
      return key
    },
    find: (key) => (key === undefined ? undefined : known.get(key)),
    add: (key, options) => void known.set(key, readKey(key, options)),
    addAll(options) {
      for (const [key, state] of Object.entries(readKeys(options))) known.set(key, state)
    },
    load(states) {
      known.clear()
      for (const [key, state] of Object.entries(states)) known.set(key, { ...state })
    },
    set(key, credits) {
      get(key).credits = asCount('credits', credits)
    },
    all: () => Object.fromEntries([...known].map(([key, state]) => [key, { ...state }])),
  }
}

/** Checks the options of one key. */
export function readKey(key: string, options: KeyOptions): KeyState {
  if (typeof key !== 'string' || key.trim() !== key || key === '')
    throw new FakeUsageError('A key is text without surrounding space.')
  checkValue(`keys.${key}`, KEY, options)
  const { credits, tier = DEFAULT_TIER } = typeof options === 'number' ? { credits: options } : options
  return { credits, tier }
}

/** Checks the options of several keys. */
export function readKeys(keys: Record<string, KeyOptions>): Record<string, KeyState> {
  checkValue('keys', KEYS, keys)
  const entries = Object.entries(keys).map(([key, options]) => [key, readKey(key, options)] as const)
  return Object.fromEntries(entries)
}
