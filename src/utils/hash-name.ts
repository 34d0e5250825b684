import { createKeccak256, memoize } from './address.ts'

const HASH_WORDS = 4

/** Makes a function that names an ASCII text by its hash: 32 hex digits, which are the same in every process. @param capacity see `memoize` */
export function createHashNames(capacity = 1_000): (ascii: string) => string {
  const hash = createKeccak256()
  return memoize((ascii) => {
    const words = hash(ascii).subarray(0, HASH_WORDS)
    return Array.from(words, (word) => word.toString(16).padStart(8, '0')).join('')
  }, capacity)
}
