import { keccakP } from '@noble/hashes/sha3.js'

const PATTERN = /^0x[0-9a-fA-F]{40}$/
const LOWER_CASE = /^0x[0-9a-f]{40}$/

/** Whether the value is `0x` and 40 hex digits. The checksum is not looked at. */
export function looksLikeAddress(value: unknown): value is string {
  return typeof value === 'string' && PATTERN.test(value)
}

/**
 * The EIP-55 form of an address: each letter's case is a bit of the keccak-256 hash of the lower-cased digits.
 * @throws TypeError when the value is not `0x` and 40 hex digits.
 * @example checksumAddress('0x138dafbda0ccb3d8e39c19edb0510fc31b7c1c77')
 */
export function checksumAddress(address: string): string {
  return createChecksum()(address)
}

/** Makes a function that writes checksums as `checksumAddress` does, with one array to hash in. */
function createChecksum(): (address: string) => string {
  const hash = createKeccak256()
  return (address) => {
    if (!looksLikeAddress(address)) throw new TypeError('An address is 0x and 40 hex digits.')
    const digits = address.slice(2).toLowerCase()
    const words = hash(digits)
    let checksummed = '0x'
    for (let i = 0; i < 40; i++) {
      // Of each byte, the upper half comes first.
      const half = (words[i >> 3] ?? 0) >> (4 * ((i ^ 1) & 7))
      const digit = digits.charAt(i)
      checksummed += half & 8 ? digit.toUpperCase() : digit
    }
    return checksummed
  }
}

/** Whether the value is an address: all lower case, all upper case, or mixed case with a valid EIP-55 checksum. */
export function isAddress(value: unknown): value is string {
  return looksLikeAddress(value) && (!isMixedCase(value) || checksumAddress(value) === value)
}

/** How addresses are read. A client remembers what it has read. */
export interface AddressReader {
  /** The EIP-55 form of what looks like an address. */
  checksum(address: string): string
  /** The lower-case form, or undefined for a text that is no address or has a wrong checksum. */
  lowerCase(text: string): string | undefined
}

/** Reads every address anew. */
export const addressReader: AddressReader = { checksum: checksumAddress, lowerCase: toLowerCase }

/** Remembers addresses that take long to read: those whose checksum is computed. Without it, reading 50 is an eighth of a batch call's own CPU. */
export function createAddressReader(): AddressReader {
  const lowerCase = memoize(toLowerCase)
  return {
    checksum: memoize(createChecksum()),
    lowerCase: (text) => (LOWER_CASE.test(text) ? text : text.length === 42 ? lowerCase(text) : undefined),
  }
}

function toLowerCase(text: string): string | undefined {
  return isAddress(text) ? text.toLowerCase() : undefined
}

/** Only mixed case carries a checksum. */
export function isMixedCase(address: string): boolean {
  return /[a-f]/.test(address) && /[A-F]/.test(address)
}

/**
 * A function of a text that remembers its recent results. When `capacity` results are new, the older half is dropped, so that
 * what is asked again and again stays.
 */
export function memoize<Result>(compute: (text: string) => Result, capacity = 8_192): (text: string) => Result {
  let recent = new Map<string, Result>()
  let older = new Map<string, Result>()
  return (text) => {
    const found = recent.get(text)
    if (found !== undefined) return found
    const result = older.get(text) ?? compute(text)
    if (recent.size >= capacity) {
      older = recent
      recent = new Map()
    }
    recent.set(text, result)
    return result
  }
}

/** Words of 32 bits in the state of keccak, and bytes in the blocks that keccak-256 takes. */
const STATE_WORDS = 50
const BLOCK_BYTES = 136

/**
 * Makes a function that returns the keccak-256 hash of an ASCII text in the first 32 bytes of an array, which is the same one each time:
 * to make one of this size, outside of the heap, takes a tenth of the time of a checksum. The function of the library, which takes any
 * bytes, is twice as large.
 */
export function createKeccak256(): (ascii: string) => Uint32Array {
  const state = new Uint32Array(STATE_WORDS)
  const put = (at: number, byte: number) => {
    state[at >> 2] = (state[at >> 2] as number) ^ (byte << (8 * (at & 3)))
  }
  return (ascii) => {
    state.fill(0)
    // The padding begins after the text: a text that fills its last block has it in a block of its own.
    for (let i = 0; i <= ascii.length; i++) {
      if (i > 0 && i % BLOCK_BYTES === 0) keccakP(state)
      put(i % BLOCK_BYTES, i < ascii.length ? ascii.charCodeAt(i) : 0x01)
    }
    put(BLOCK_BYTES - 1, 0x80)
    keccakP(state)
    return state
  }
}
