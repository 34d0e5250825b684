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

export const KEYS = is.mapOf({ anyOf: [is.count, is.object({ credits: is.count, tier: is.text }, ['credits'])] })
const DEFAULT_TIER = 'standard'

export class Accounts {
  /** By key. Replaced and never changed, so that snapshots share it. */
  state: ReadonlyMap<string, KeyState>

  constructor(keys: Record<string, KeyState>) {
    this.state = new Map(Object.entries(keys))
  }

  first(): string {
    const [key] = this.state.keys()
    if (key === undefined) throw new FakeUsageError('This fake was made without keys.')
    return key
  }

  find(key: string | undefined): KeyState | undefined {
    return key === undefined ? undefined : this.state.get(key)
  }

  get(key: string): KeyState {
    const found = this.state.get(key)
    if (found) return found
    const names = [...this.state.keys()].join(', ') || 'none'
    throw new FakeUsageError(`There is no key ${show(key)}. The keys are: ${names}.`)
  }

  add(keys: Record<string, KeyOptions>): void {
    this.state = new Map([...this.state, ...Object.entries(readKeys(keys))])
  }

  set(key: string, credits: number): void {
    this.state = new Map(this.state).set(key, { ...this.get(key), credits })
  }

  list(): Record<string, KeyState> {
    return Object.fromEntries(Array.from(this.state, ([key, state]) => [key, { ...state }]))
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
