import { memoize } from '../utils/address.ts'
import { sha256Hex } from './hash.ts'

/** Bounds the memory of a client whose keys rotate. */
const MAX_KNOWN = 100
const HASH_LENGTH = 32

/** The name of an API key in Redis: a hash of it, which is another one in each fleet. */
export function createKeyScopes(fleet: string): (apiKey: string) => string {
  return memoize((apiKey) => `key:${sha256Hex(`etn-market:${fleet}:${apiKey}`).slice(0, HASH_LENGTH)}`, MAX_KNOWN)
}
