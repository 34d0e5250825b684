import { sha1 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { invalidOption } from '../errors/input.ts'
import { memoize } from '../utils/address.ts'

/** The keys of a fleet, all in the same slot of a cluster. */
export interface FleetKeys {
  /** Of the scripts that move credits. */
  readonly ledger: string[]
  readonly initialize: string[]
  readonly status: string[]
  readonly buy: string[]
  readonly leases: string
  readonly slots: string
  /** Of the scripts that admit requests, for a scope of an API key. */
  limits(keyScope: string): string[]
  probes(scope: string): string
}

export function createKeys(name: string): FleetKeys {
  if (!(typeof name === 'string' && /^[^{}\s]{1,200}$/.test(name)))
    throw invalidOption('name', name, 'a text of 1 to 200 characters without white space and braces')
  const key = (part: string) => `{etn-market:${name}}:${part}`
  const [state, operations, leases, ends, breakers, slots, balances] = [
    key('state'),
    key('operations'),
    key('leases'),
    key('ends'),
    key('breakers'),
    key('slots'),
    key('balances'),
  ]
  const probes = (scope: string) => key(`probes:${scope}`)
  const scopeKeys = (scope: string) => [probes(scope), key(`refusals:${scope}`), key(`unasked:${scope}`)]
  return {
    ledger: [state, operations, leases, ends, breakers, balances],
    initialize: [state, operations, leases, ends, balances],
    status: [state, operations, leases, slots, breakers],
    buy: [key('buyers:ends'), key('buyers:owners')],
    leases,
    slots,
    limits: (keyScope) => [
      ...[state, operations, ends, breakers, slots, key('waiting'), key('seen')],
      ...scopeKeys(keyScope),
      ...scopeKeys('heavy'),
    ],
    probes,
  }
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
