import { keccak_256 } from '@noble/hashes/sha3.js'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { addressReader, checksumAddress, createAddressReader, isAddress, memoize } from '../../src/utils/address.ts'
import { testProperty } from '../support/property.ts'

/** From EIP-55 itself. */
const VECTORS = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x27b1fdb04752bbc536007a920d24acb045561c26',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
]

/** Tokens of the network, each with its published checksum. */
const TOKENS = {
  BOLT: '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1',
  CORE: '0x309B916b3A90cb3E071697Ea9680e9217A30066f',
  DYNO: '0xEe432C220273e4F949007B4c1946562826Efa055',
  PDY: '0xc20d02538368D8F7deBeAeB99D9a8b4d4D1DDC1C',
  FUGAZI: '0x075533AB8EeC6A6999F07C8bc2f1900eB8312e25',
  USDC: '0x3187deAd7A2Bd6770F5Fe81495D1B715926AAe6e',
  USDT: '0x48E722f1458b253c2FB0E573F939318D7Dbd54e7',
  CLUB: '0xC9FC4AB00911793D99b5c7Bd01f01203C21D4131',
  DCNT: '0xE74e4E7A064310466f3bdBd3F3Ce4e8c8F7CF1d5',
  WETN: '0x138DAFbDA0CCB3d8E39C19edb0510Fc31b7C1c77',
}

const upper = (address: string) => `0x${address.slice(2).toUpperCase()}`

describe('checksumAddress', () => {
  test.each(VECTORS)('returns %s of the standard, from letters of any case', (address) => {
    expect(checksumAddress(address.toLowerCase())).toBe(address)
    expect(checksumAddress(upper(address))).toBe(address)
    expect(checksumAddress(address)).toBe(address)
  })

  test.each(Object.entries(TOKENS))('accepts the published checksum of %s: %s', (_, address) => {
    expect(checksumAddress(address.toLowerCase())).toBe(address)
    expect(isAddress(address)).toBe(true)
  })

  test.each(['', '0x', '0x1', `${VECTORS[4]}0`, VECTORS[4]!.slice(2), `0X${VECTORS[4]!.slice(2)}`, `${VECTORS[4]}\n`])(
    'throws for %j',
    (value) => {
      expect(() => checksumAddress(value)).toThrow(TypeError)
    },
  )
})

describe('isAddress', () => {
  test.each([undefined, null, 0, {}, [VECTORS[4]], '', 'BOLT', '0x', `${VECTORS[4]} `, `0xg${VECTORS[2]!.slice(3)}`])(
    'rejects %j',
    (value) => {
      expect(isAddress(value)).toBe(false)
    },
  )
})

const anyAddress = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`)

describe('for any address', () => {
  testProperty(
    'a letter is upper case where the keccak-256 hash of the digits says so',
    fc.property(anyAddress, (address) => {
      const digits = address.slice(2)
      const hash = Buffer.from(keccak_256(Buffer.from(digits))).toString('hex')
      const letters = [...digits].map((digit, place) => ((hash[place] ?? '') > '7' ? digit.toUpperCase() : digit))
      expect(checksumAddress(address)).toBe(`0x${letters.join('')}`)
    }),
    { cases: 100 },
  )

  testProperty(
    'isAddress accepts mixed case only where it equals the checksum',
    fc.property(anyAddress, fc.infiniteStream(fc.boolean()), (address, isUpper) => {
      const digits = [...address.slice(2)].map((digit) => (isUpper.next().value ? digit.toUpperCase() : digit))
      const mixed = `0x${digits.join('')}`
      const hasOneCase = mixed === address || mixed === upper(address)
      expect(isAddress(mixed)).toBe(hasOneCase || mixed === checksumAddress(address))
    }),
    { cases: 100 },
  )
})

describe('memoize', () => {
  test('calls the function once for a text that it remembers', () => {
    const compute = vi.fn((text: string) => text.length)
    const memoized = memoize(compute)
    for (const text of ['a', 'bb', 'a', 'bb', 'a']) memoized(text)
    expect(compute.mock.calls).toEqual([['a'], ['bb']])
  })

  test('keeps a text in frequent use and drops the others', () => {
    const compute = vi.fn((text: string) => text.length)
    const memoized = memoize(compute, 4)
    for (let index = 0; index < 100; index++) {
      memoized('often')
      memoized(`once ${index}`)
    }
    expect(compute.mock.calls.filter(([text]) => text === 'often')).toHaveLength(1)
    memoized('once 0')
    expect(compute.mock.calls.filter(([text]) => text === 'once 0')).toHaveLength(2)
  })

  test('remembers no failure', () => {
    const compute = vi.fn(checksumAddress)
    const checksum = memoize(compute)
    expect(() => checksum('0x')).toThrow(TypeError)
    expect(() => checksum('0x')).toThrow(TypeError)
    expect(compute).toHaveBeenCalledTimes(2)
  })
})

describe('createAddressReader', () => {
  const anyCase = fc.oneof(
    anyAddress,
    anyAddress.map(checksumAddress),
    fc.mixedCase(anyAddress),
    anyAddress.map((address) => address.toLowerCase()),
    anyAddress.map((address) => `0x${address.slice(2).toUpperCase()}`),
    fc.string({ maxLength: 50 }),
  )

  testProperty(
    'reads every text as a reader that remembers nothing does',
    () => {
      const remembering = createAddressReader()
      return fc.property(anyCase, (text) => {
        for (let times = 0; times < 2; times++) {
          expect(remembering.lowerCase(text)).toBe(addressReader.lowerCase(text))
          expect(remembering.lowerCase(text)).toBe(isAddress(text) ? text.toLowerCase() : undefined)
        }
      })
    },
    { cases: 100 },
  )
})
