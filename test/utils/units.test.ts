import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InvalidRequestError } from '../../src/errors/input.ts'
import { toUnits, unlocksAt } from '../../src/utils/units.ts'
import { testProperty } from '../support/property.ts'

describe('toUnits', () => {
  test.each([
    ['0xde0b6b3a7640000', 18, '1'],
    ['0xDE0B6B3A7640000', 18, '1'],
    ['1500000000000000000', 18, '1.5'],
    ['0x0', 18, '0'],
    ['0', 0, '0'],
    [0, 6, '0'],
    [-0, 6, '0'],
    [1, 6, '0.000001'],
    ['1', 18, '0.000000000000000001'],
    [1_000_000n, 6, '1'],
    ['100', 0, '100'],
    ['1000', 2, '10'],
    ['-1', 2, '-0.01'],
    [-250n, 2, '-2.5'],
    ['0000123', 2, '1.23'],
    [`0x${'f'.repeat(64)}`, 18, '115792089237316195423570985008687907853269984665640564039457.584007913129639935'],
    ['1', 255, `0.${'0'.repeat(254)}1`],
  ] as const)('%s with %s decimals is %s', (amount, decimals, expected) => {
    expect(toUnits(amount, decimals)).toBe(expected)
  })

  testProperty(
    'is exact for every amount',
    fc.property(
      fc.bigInt({ min: -(2n ** 256n), max: 2n ** 256n }),
      fc.integer({ min: 0, max: 40 }),
      (amount, decimals) => {
        const text = toUnits(amount, decimals)
        expect(text).toMatch(/^-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$/)
        const [whole = '', fraction = ''] = text.replace('-', '').split('.')
        const back = BigInt(whole) * 10n ** BigInt(decimals) + BigInt(fraction.padEnd(decimals, '0') || '0')
        expect(text.startsWith('-') ? -back : back).toBe(amount)
        expect(toUnits(amount.toString(), decimals)).toBe(text)
        if (amount >= 0n) expect(toUnits(`0x${amount.toString(16)}`, decimals)).toBe(text)
      },
    ),
    { cases: 500 },
  )

  const TEXTS = ['', ' 1', '1 ', ...'0x x1 1.5 1e18 -0x1 +1 0xg 1_000'.split(' ')]
  test.each([...TEXTS, 1.5, Number.NaN, 2 ** 53, Number.POSITIVE_INFINITY, null, undefined, {}])(
    'rejects the amount %j',
    (amount) => {
      expect(() => toUnits(amount as string, 18)).toThrow(InvalidRequestError)
    },
  )

  test.each([-1, 256, 1.5, Number.NaN, '18', null, undefined])('rejects %j decimals', (decimals) => {
    expect(() => toUnits('1', decimals as number)).toThrow(InvalidRequestError)
  })
})

describe('unlocksAt', () => {
  test('returns created + duration, both in seconds', () => {
    expect(unlocksAt({ created: 1_700_000_000, duration: 86_400 }).toISOString()).toBe('2023-11-15T22:13:20.000Z')
    expect(unlocksAt({ created: 0, duration: 0 }).getTime()).toBe(0)
  })
})

test('a lock of ages opens at the end of what a Date can hold', () => {
  expect(unlocksAt({ created: 1_700_000_000, duration: 1e15 }).getTime()).toBe(8_640_000_000_000_000)
})
