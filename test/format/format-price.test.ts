import { formatPrice } from 'etn-market/format'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { add, compareDecimals, parseDecimal } from '../../src/utils/decimal.ts'
import { testProperty } from '../support/property.ts'

describe('formatPrice', () => {
  test.each([
    ['0.0000000624', '$0.0₇624'],
    ['0.00000006245678', '$0.0₇6246'],
    ['6.24e-8', '$0.0₇624'],
    [6.24e-8, '$0.0₇624'],
    ['0.0000123', '$0.0₄123'],
    ['0.000123', '$0.000123'],
    ['0.01930541', '$0.01931'],
    ['0.5', '$0.50'],
    ['0.99996', '$1.00'],
    ['0.00009999996', '$0.0001'],
    ['1', '$1.00'],
    ['1.23456', '$1.235'],
    ['12.3', '$12.30'],
    ['123.455', '$123.46'],
    ['999.995', '$1,000.00'],
    ['1234567.891', '$1,234,567.89'],
    ['0012.50', '$12.50'],
    [1e21, '$1,000,000,000,000,000,000,000.00'],
    ['-0.0000000624', '-$0.0₇624'],
    ['-1234.5', '-$1,234.50'],
    ['0', '$0'],
    ['0.000', '$0'],
  ])('%s is %s', (price, text) => {
    expect(formatPrice(price)).toBe(text)
  })

  test.each([null, undefined, '', 'NaN', '1,5', '0x10', Number.NaN, Number.POSITIVE_INFINITY, '1e999999999'])(
    '%s has no price',
    (price) => {
      expect(formatPrice(price)).toBe('–')
      expect(formatPrice(price, { none: '-' })).toBe('-')
    },
  )

  test('digits and symbol are options', () => {
    expect(formatPrice('0.0000000624567', { digits: 2 })).toBe('$0.0₇62')
    expect(formatPrice('1.2345678', { digits: 6, symbol: '' })).toBe('1.23457')
    expect(formatPrice('1234.5678', { digits: 0 })).toBe('$1,234.57')
    expect(formatPrice('0.01930541', { digits: Number.NaN })).toBe('$0.01931')
  })

  test('a text of a million digits takes no time to speak of', () => {
    const nines = '9'.repeat(1_000_000)
    expect(formatPrice(`0.${nines}`)).toBe('$1.00')
    expect(formatPrice(`0.${'0'.repeat(1_000_000)}5`)).toBe('$0.0₁₀₀₀₀₀₀5')
    expect(formatPrice(nines)).toHaveLength(1_000_000 + 333_333 + 4)
  })
})

/** Reads what was written back. */
function read(text: string): string {
  const counted = text.replace(/^(-?)\$/, '$1').replaceAll(',', '')
  return counted.replace(/0([₀-₉]+)/, (_, zeros: string) =>
    '0'.repeat(Number(Array.from(zeros, (digit) => digit.charCodeAt(0) - 0x2080).join(''))),
  )
}

const digits = fc.stringMatching(/^[0-9]{1,40}$/)

testProperty(
  'formatPrice differs from the price by at most half of its last digit',
  fc.property(digits, digits, fc.boolean(), fc.integer({ min: 1, max: 12 }), (whole, fraction, isNegative, kept) => {
    const price = `${isNegative ? '-' : ''}${whole}.${fraction}`
    const shown = read(formatPrice(price, { digits: kept }))
    const exact = parseDecimal(price)
    const rounded = parseDecimal(shown)
    if (exact === undefined || rounded === undefined) throw new Error(`${price} is shown as ${shown}`)
    const difference = add(exact, { ...rounded, digits: -rounded.digits })
    const magnitude = whole.replace(/^0+/, '').length
    const zeros = magnitude > 0 ? 0 : (/^0*/.exec(fraction)?.[0].length ?? 0)
    const decimals = magnitude > 0 ? Math.max(2, kept - magnitude) : zeros + kept
    // Twice the difference is at most a unit of the last digit.
    const absolute = difference.digits < 0n ? -difference.digits : difference.digits
    expect(
      compareDecimals({ digits: 2n * absolute, scale: difference.scale }, { digits: 1n, scale: decimals }),
    ).not.toBe(1)
  }),
  { cases: 300 },
)
