import { createKeccak256, memoize } from '../utils/address.ts'
import { once } from '../utils/once.ts'

/** Bounds the memory of a client whose keys rotate. */
const MAX_KNOWN = 100
const HASH_WORDS = 4

/** Names an API key where it must not be written: by a hash of it, which is the same in every process. */
export function createKeyNames(): (apiKey: string) => string {
  const hash = createKeccak256()
  return memoize((apiKey) => {
    const words = hash(`etn-market:key:${apiKey}`)
    return Array.from(words.subarray(0, HASH_WORDS), (word) => word.toString(16).padStart(8, '0')).join('')
  }, MAX_KNOWN)
}

/** Names what `confirm` is given: the client passes the name of a key, other code may pass the key itself. Nothing stays nothing. */
export function createKeyReader(): (key: string) => string {
  const names = once(createKeyNames)
  return (key) => (key === '' || /^[0-9a-f]{32}$/.test(key) ? key : names()(key))
}
