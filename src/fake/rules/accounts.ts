import { checkValue, FakeUsageError, show } from './check.ts'
import * as is from './schema.ts'

/** What a key starts with: an amount of credits, or credits and a tier. */
export type KeyOptions =
  | number
  | {
      /** Credits at the start. */
      credits: number
      /** Tier of the key, as `account.me` reports it. */
      tier?: string | undefined
    }

/** Credits and tier of a key. */
export interface KeyState {
  /** Credits that are left. */
  credits: number
  /** Tier of the key. */
  tier: string
}

const KEY: is.Schema = { anyOf: [is.count, is.object({ credits: is.count, tier: is.text }, ['credits'])] }
export const KEYS: is.Schema = is.mapOf(KEY)
const DEFAULT_TIER = 'standard'

export class Accounts {
  readonly #known = new Map<string, KeyState>()

  constructor(keys: Record<string, KeyState>) {
    this.load(keys)
  }

  first(): string {
    const [key] = this.#known.keys()
    if (key === undefined) throw new FakeUsageError('This fake was made without keys.')
    return key
  }

  find(key: string | undefined): KeyState | undefined {
    return key === undefined ? undefined : this.#known.get(key)
  }

  get(key: string): KeyState {
    const found = this.#known.get(key)
    if (found) return found
    const names = [...this.#known.keys()].join(', ') || 'none'
    throw new FakeUsageError(`There is no key ${show(key)}. The keys are: ${names}.`)
  }

  add(key: string, options: KeyOptions): void {
    checkValue('key', is.text, key)
    this.addAll({ [key]: options })
  }

  addAll(keys: Record<string, KeyOptions>): void {
    for (const [key, state] of Object.entries(readKeys(keys))) this.#known.set(key, state)
  }

  set(key: string, credits: number): void {
    checkValue('credits', is.count, credits)
    this.get(key).credits = credits
  }

  save(): Record<string, KeyState> {
    return Object.fromEntries([...this.#known].map(([key, state]) => [key, { ...state }]))
  }

  load(keys: Record<string, KeyState>): void {
    this.#known.clear()
    for (const [key, state] of Object.entries(keys)) this.#known.set(key, { ...state })
  }
}

export function readKeys(keys: Record<string, KeyOptions>): Record<string, KeyState> {
  checkValue('keys', KEYS, keys)
  const read = ([key, options]: [string, KeyOptions]): [string, KeyState] => {
    if (key.trim() !== key || key === '') throw new FakeUsageError('A key is text without surrounding space.')
    const { credits, tier = DEFAULT_TIER } = typeof options === 'number' ? { credits: options } : options
    return [key, { credits, tier }]
  }
  return Object.fromEntries(Object.entries(keys).map(read))
}
