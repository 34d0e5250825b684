import { checksumAddress, isAddress } from '../../utils/address.ts'
import { trimEnd } from '../../utils/trim-end.ts'
import { asCount, asNumber, checkNames, FakeUsageError, show } from '../rules/check-options.ts'
import { fromDecimal, ONE } from './decimal.ts'

/** Reads the fields of one entry of the `world` option. Messages start with the path of the field. */
export interface FieldReader {
  address(name: string): string
  optionalAddress(name: string): string | undefined
  text(name: string, fallback?: string): string
  /** A whole number of 0 or more. */
  count(name: string, fallback?: number): number
  number(name: string, from: number, to?: number, fallback?: number): number
  /** A decimal as fixed point; `undefined` if it is missing. */
  amount(name: string): bigint | undefined
  /** A field of any type. */
  any(name: string): unknown
}

export function readEntry(path: string, entry: unknown, names: readonly string[]): FieldReader {
  checkNames(path, entry as object, names)
  const fields = entry as Record<string, unknown>
  const at = (name: string) => `${path}.${name}`
  const fieldOr = <T>(name: string, fallback: T | undefined): unknown => fields[name] ?? fallback
  return {
    any: (name) => fields[name],
    address: (name) => readAddressField(at(name), fields[name]),
    optionalAddress: (name) => (fields[name] === undefined ? undefined : readAddressField(at(name), fields[name])),
    text(name, fallback) {
      const value = fieldOr(name, fallback)
      if (typeof value === 'string' && value !== '') return value
      throw new FakeUsageError(`${at(name)} is a text, not ${show(value)}.`)
    },
    count: (name, fallback) => asCount(at(name), fieldOr(name, fallback)),
    number: (name, from, to, fallback) => asNumber(at(name), fieldOr(name, fallback), from, to),
    amount: (name) => (fields[name] === undefined ? undefined : readDecimal(at(name), fields[name])),
  }
}

/** The EIP-55 form of an address. */
export function readAddressField(name: string, value: unknown): string {
  if (isAddress(value)) return checksumAddress(value)
  throw new FakeUsageError(`${name} is an address (0x and 40 hex digits, EIP-55 if in mixed case), not ${show(value)}.`)
}

/** Bounds of prices in USD: the quotient of two has at most 30 decimal places. */
export const MIN_PRICE = 1e-18
export const MAX_PRICE = 1e12
const MIN_AMOUNT = ONE / 10n ** 18n
const MAX_AMOUNT = ONE * 10n ** 12n

/** A positive decimal, as text or as a number, as fixed point. */
export function readDecimal(name: string, value: unknown): bigint {
  const text = typeof value === 'number' ? trimEnd(trimEnd(value.toFixed(20), '0'), '.') : value
  if (typeof text === 'string' && /^\d{1,30}(\.\d{1,30})?$/.test(text)) {
    const amount = fromDecimal(text)
    if (amount > 0n) {
      if (amount >= MIN_AMOUNT && amount <= MAX_AMOUNT) return amount
      throw new FakeUsageError(`${name} is from 0.${'0'.repeat(17)}1 to 1${'0'.repeat(12)}, not ${show(value)}.`)
    }
  }
  throw new FakeUsageError(
    `${name} is a decimal above 0 with at most 30 places, for example '0.019', not ${show(value)}.`,
  )
}

/** Throws if two entries of a list are the same thing. */
export function rejectDuplicates(name: string, field: string, keys: readonly string[]): void {
  const twice = keys.findIndex((key, i) => keys.indexOf(key) < i)
  if (twice >= 0) throw new FakeUsageError(`${name}[${twice}].${field} occurs twice: ${keys[twice]}.`)
}

/** The entries of a list, or none. */
export function readList(name: string, value: unknown): readonly unknown[] {
  if (value === undefined) return []
  if (Array.isArray(value)) return value
  throw new FakeUsageError(`${name} is a list.`)
}

/** The entries of an object, or none. */
export function readRecord(name: string, value: unknown): [string, unknown][] {
  if (value === undefined) return []
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Object.entries(value)
  throw new FakeUsageError(`${name} is an object.`)
}
