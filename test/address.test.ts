import { keccak_256 } from '@noble/hashes/sha3.js'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { checksumAddress, isAddress, readAddress, remember } from '../src/address.ts'

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

/** Tokens that this library's users ask for; the checksum of each is right as it is handed around, also the last one's. */
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
  test.each(VECTORS)('the standard: %s, from any case of letters', (address) => {
    expect(checksumAddress(address.toLowerCase())).toBe(address)
    expect(checksumAddress(upper(address))).toBe(address)
    expect(checksumAddress(address)).toBe(address)
  })

  test.each(Object.entries(TOKENS))('%s %s is right', (_, address) => {
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
  test('one wrong letter is found in every place', () => {
    for (const address of [...VECTORS.slice(4), ...Object.values(TOKENS)]) {
      for (let place = 2; place < 42; place++) {
        const letter = address.charAt(place)
        const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
        if (other !== letter) expect(isAddress(address.slice(0, place) + other + address.slice(place + 1))).toBe(false)
      }
    }
  })

  test('one case alone carries no checksum, and is taken', () => {
    for (const address of VECTORS)
      expect([isAddress(address.toLowerCase()), isAddress(upper(address))]).toEqual([true, true])
  })

  test.each([undefined, null, 0, {}, [VECTORS[4]], '', 'BOLT', '0x', `${VECTORS[4]} `, `0xg${VECTORS[2]!.slice(3)}`])(
    '%j is none',
    (value) => {
      expect(isAddress(value)).toBe(false)
    },
  )
})

const anyAddress = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`)

describe('for any address', () => {
  test('each letter is a capital where the hash says so, as the whole of the library hashes', () => {
    fc.assert(
      fc.property(anyAddress, (address) => {
        const digits = address.slice(2)
        const hash = Buffer.from(keccak_256(Buffer.from(digits))).toString('hex')
        const letters = [...digits].map((digit, place) => ((hash[place] ?? '') > '7' ? digit.toUpperCase() : digit))
        expect(checksumAddress(address)).toBe(`0x${letters.join('')}`)
      }),
    )
  })

  test('the checksum is idempotent, keeps the digits, and comes out of every case of letters', () => {
    fc.assert(
      fc.property(anyAddress, (address) => {
        const spelled = checksumAddress(address)
        expect(spelled.toLowerCase()).toBe(address)
        expect(checksumAddress(spelled)).toBe(spelled)
        expect(checksumAddress(upper(address))).toBe(spelled)
        expect(isAddress(spelled)).toBe(true)
      }),
    )
  })

  test('one that remembers says the same, also when it is full', () => {
    const remembering = remember(checksumAddress, 3)
    fc.assert(
      fc.property(fc.array(anyAddress), (addresses) => {
        for (const address of [...addresses, ...addresses]) expect(remembering(address)).toBe(checksumAddress(address))
      }),
    )
    expect(() => remembering('0x')).toThrow(TypeError)
  })

  test('it keeps nothing of what is none', () => {
    const read = vi.fn(readAddress)
    const remembering = remember(read)
    for (const value of ['0x', '0x', TOKENS.BOLT, TOKENS.BOLT]) remembering(value)
    expect(read.mock.calls.flat()).toEqual(['0x', '0x', TOKENS.BOLT])
  })

  test('reading one never throws', () => {
    const read = remember(readAddress, 3)
    fc.assert(
      fc.property(fc.oneof(anyAddress, fc.anything()), (value) => {
        const address = read(value)
        expect(address).toEqual(readAddress(value))
        expect(address?.spelled).toBe(isAddress(value) ? checksumAddress(value) : undefined)
        expect(address?.lower).toBe(address?.spelled.toLowerCase())
      }),
    )
  })
})
