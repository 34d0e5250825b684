import { sha1 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { invalidOption } from '../errors/input.ts'
import { memoize } from '../utils/address.ts'

/** The keys of a fleet, all in the same slot of a cluster. */
export class FleetKeys {
  /** Of the scripts that move credits. */
  readonly ledger: string[]
  readonly initialize: string[]
  readonly status: string[]
  readonly buy: string[]
  readonly leases: string
  readonly slots: string
  readonly #key: (part: string) => string

  constructor(name: string) {
    if (!(typeof name === 'string' && /^[^{}\s]{1,200}$/.test(name)))
      throw invalidOption('name', name, 'a text of 1 to 200 characters without white space and braces')
    const key = (part: string) => `{etn-market:${name}}:${part}`
    this.#key = key
    this.leases = key('leases')
    this.slots = key('slots')
    this.ledger = [key('state'), key('operations'), this.leases, key('ends'), key('breakers'), key('balances')]
    this.initialize = [key('state'), key('operations'), this.leases, key('ends'), key('balances')]
    this.status = [key('state'), key('operations'), this.leases, this.slots, key('breakers')]
    this.buy = [key('buyers:ends'), key('buyers:owners')]
  }

  /** Of the scripts that admit requests, for a scope of an API key. */
  limits(keyScope: string): string[] {
    const shared = ['state', 'operations', 'ends', 'breakers', 'slots', 'waiting', 'seen']
    const ofScope = (scope: string) => [`probes:${scope}`, `refusals:${scope}`, `unasked:${scope}`]
    return [...shared, ...ofScope(keyScope), ...ofScope('heavy')].map(this.#key)
  }

  probes = (scope: string): string => this.#key(`probes:${scope}`)
}

/** The hash by which a server of Redis knows a script. */
export const sha1Hex = (text: string): string => bytesToHex(sha1(utf8ToBytes(text)))

export const sha256Hex = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)))

/** Bounds the memory of a client whose keys rotate. */
const MAX_KNOWN = 100
const HASH_LENGTH = 32

/** The name of an API key in Redis: a hash of it, which is another one in each fleet. */
export function createKeyScopes(fleet: string): (apiKey: string) => string {
  return memoize((apiKey) => `key:${sha256Hex(`etn-market:${fleet}:${apiKey}`).slice(0, HASH_LENGTH)}`, MAX_KNOWN)
}
