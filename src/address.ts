import { keccakP } from '@noble/hashes/sha3.js'

/** Words of 32 bits in keccak's state, and in the blocks that keccak-256 takes. */
const STATE = 50
const BLOCK = 34

const PATTERN = /^0x[0-9a-fA-F]{40}$/

/** `0x` and 40 hex digits, in any case of letters; says nothing about the checksum. */
export function looksLikeAddress(value: unknown): value is string {
  return typeof value === 'string' && PATTERN.test(value)
}

/**
 * The EIP-55 spelling of an address: each letter's case is a bit of the keccak-256 hash of the lower-cased digits.
 * @throws TypeError when the value is not `0x` and 40 hex digits.
 * @example checksumAddress('0x138dafbda0ccb3d8e39c19edb0510fc31b7c1c77')
 */
export function checksumAddress(address: string): string {
  const read = readAddress(address)
  if (read === undefined) throw new TypeError('An address is 0x and 40 hex digits.')
  return read.spelled
}

/** What a call needs of an address. */
export interface Address {
  /** Its EIP-55 spelling: so it goes out. */
  readonly spelled: string
  /** All in lower case: so the service names it in an answer. */
  readonly lower: string
  /** 44 bits of its hash: thousands of them add up to an exact number. */
  readonly digest: number
}

/** Reads an address in any case of letters; undefined for what is none. */
export function readAddress(value: unknown): Address | undefined {
  if (!looksLikeAddress(value)) return undefined
  const digits = value.slice(2).toLowerCase()
  const hash = keccak256(digits)
  const [low = 0, high = 0] = hash
  return { lower: `0x${digits}`, spelled: spell(digits, hash), digest: low * 2 ** 12 + (high >>> 20) }
}

/** Each letter's case is a bit of the hash of all digits. */
function spell(digits: string, hash: Uint32Array): string {
  let spelled = '0x'
  for (let i = 0; i < 40; i++) {
    const byte = (hash[i >> 3] ?? 0) >> (8 * ((i >> 1) & 3))
    const digit = digits.charAt(i)
    spelled += byte & (i % 2 === 0 ? 0x80 : 0x08) ? digit.toUpperCase() : digit
  }
  return spelled
}

/** Whether the value is an address: all lower case, all upper case, or mixed case with a valid EIP-55 checksum. */
export function isAddress(value: unknown): value is string {
  return looksLikeAddress(value) && (!isMixedCase(value) || checksumAddress(value) === value)
}

/** Mixed case is what makes a checksum: one case alone carries none. */
export function isMixedCase(address: string): boolean {
  const digits = address.slice(2)
  return digits !== digits.toLowerCase() && digits !== digits.toUpperCase()
}

/** The state after a text shorter than a block; the library's own function, which takes any bytes, is twice as large. */
function keccak256(ascii: string): Uint32Array {
  const state = new Uint32Array(STATE)
  const put = (at: number, byte: number) => {
    state[at >> 2] = (state[at >> 2] ?? 0) | (byte << (8 * (at & 3)))
  }
  for (let i = 0; i < ascii.length; i++) put(i, ascii.charCodeAt(i))
  put(ascii.length, 0x01)
  put(4 * BLOCK - 1, 0x80)
  keccakP(state)
  return state
}

/** A function of an address that remembers, because a bot asks for the same few all day; forgets all when full. */
export function remember<Text, Made>(make: (address: Text) => Made, capacity = 4096): (address: Text) => Made {
  const known = new Map<Text, Made>()
  return (address) => {
    const found = known.get(address)
    if (found !== undefined) return found
    const made = make(address)
    if (made === undefined) return made
    if (known.size >= capacity) known.clear()
    known.set(address, made)
    return made
  }
}
