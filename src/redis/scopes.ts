import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { memoize } from '../utils/address.ts'

/** Bounds the memory of a client whose keys rotate. */
const MAX_KNOWN = 100
const HASH_LENGTH = 32

/** The name of an API key in Redis: a hash of it, which is another one in each fleet. */
export function createKeyScopes(fleet: string): (apiKey: string) => string {
  return memoize((apiKey) => {
    const hash = bytesToHex(sha256(utf8ToBytes(`etn-market:${fleet}:${apiKey}`)))
    return `key:${hash.slice(0, HASH_LENGTH)}`
  }, MAX_KNOWN)
}
