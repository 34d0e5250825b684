import { checksumAddress } from '../../utils/address.ts'

// All data is a hash of its position. Nothing is drawn in sequence, so any part can be computed alone. 32-bit integer
// operations and basic arithmetic on doubles give the same bits on every runtime.

/** Hashes up to four whole numbers to 32 bits. Omitted numbers are 0. */
export function hash(a: number, b = 0, c = 0, d = 0): number {
  return mix(mix(mix(mix(a ^ 0x9e3779b9) ^ b) ^ Math.imul(c, 0x85ebca6b)) ^ Math.imul(d, 0xc2b2ae35))
}

function mix(value: number): number {
  let h = value | 0
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d)
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b)
  return (h ^ (h >>> 16)) >>> 0
}

/** Finds `c` of `hash(a, b, c)`, as a signed number: `mix` is a bijection and the factor of `c` is odd. */
export function unhash(result: number, a: number, b: number): number {
  const c = unmix(unmix(result)) ^ mix(mix(a ^ 0x9e3779b9) ^ b)
  return Math.imul(c, 0xa5cb9243)
}

/** Finds `a` of `hash(a)`. */
export function unhashFirst(result: number): number {
  return (unmix(unmix(unmix(unmix(result)))) ^ 0x9e3779b9) >>> 0
}

function unmix(value: number): number {
  let h = Math.imul(value ^ (value >>> 16), 0x43021123)
  h = Math.imul(h ^ (h >>> 15) ^ (h >>> 30), 0x1d69e2a5)
  return (h ^ (h >>> 16)) >>> 0
}

export function hashText(text: string): number {
  let h = 0x811c9dc5
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  return mix(h)
}

export function unit(a: number, b = 0, c = 0, d = 0): number {
  return hash(a, b, c, d) / 4294967296
}

/** A whole number in [0, limit). */
export function below(limit: number, a: number, b = 0, c = 0, d = 0): number {
  return Math.floor(unit(a, b, c, d) * limit)
}

export function pick<T>(list: readonly [T, ...T[]], a: number, b = 0, c = 0): T {
  return list[below(list.length, a, b, c)] ?? list[0]
}

/** Two hex digits for each byte; `toString(16)` is slow for numbers above 31 bits. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Hex digits without 0x. */
export function hex(digits: number, noise: number, salt = 0): string {
  let text = ''
  for (let i = 0; text.length < digits; i++) {
    const h = hash(noise, salt, i)
    text += `${HEX[h >>> 24]}${HEX[(h >>> 16) & 255]}${HEX[(h >>> 8) & 255]}${HEX[h & 255]}`
  }
  return text.slice(0, digits)
}

/** Smooth noise in [-1, 1]: cubic interpolation between hashed values at the multiples of `period`. It takes whole numbers. */
export function smoothNoise(seed: number, at: number, period: number): number {
  const cell = Math.floor(at / period)
  const x = (at - cell * period) / period
  const from = unit(seed, period, cell) * 2 - 1
  const to = unit(seed, period, cell + 1) * 2 - 1
  return from + (to - from) * x * x * (3 - 2 * x)
}

export function wallet(noise: number, salt = 0): string {
  return checksumAddress(`0x${hex(40, noise, salt)}`)
}
