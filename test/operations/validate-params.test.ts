import { checksumAddress, InvalidRequestError } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { validateParams } from '../../src/operations/validate-params.ts'
import { pathOf, refused } from '../support/params.ts'

const BOLT = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'
const LOWER = BOLT.toLowerCase()
const UPPER = `0x${BOLT.slice(2).toUpperCase()}`
const WRONG = BOLT.replace('f', 'F')

describe('addresses', () => {
  test.each([
    ['checksummed', BOLT],
    ['all lower case', LOWER],
    ['all upper case', UPPER],
  ])('%s ones are accepted; they are sent in EIP-55 form, in lower case in a batch', (_, address) => {
    expect(pathOf('token.price', { address })).toBe(`prices/52014/${BOLT}`)
    expect(pathOf('trade.list', { token: address })).toBe(`trades/52014?token=${BOLT}`)
    expect(pathOf('prices.batch', { addresses: [address] })).toBe(`prices/52014?addresses=${LOWER}`)
    expect(pathOf('presale.get', { pool: address })).toBe(`presales/52014/${BOLT}`)
  })

  test('an address of digits alone has no checksum', () => {
    const digits = `0x${'12345'.repeat(8)}`
    expect(pathOf('token.get', { address: digits })).toBe(`tokens/52014/${digits}`)
  })

  test('mixed case needs a valid checksum; the error names the parameter, the value, the rule and the right checksum', () => {
    const { message, operation, charge, credits } = refused('token.price', { address: WRONG })
    for (const part of ['address', WRONG, BOLT, 'EIP-55']) expect(message).toContain(part)
    expect({ operation, charge, credits }).toEqual({ operation: 'token.price', charge: 'none', credits: 0 })
  })

  test('the case of every single letter of a checksum is checked', () => {
    for (let index = 2; index < BOLT.length; index++) {
      const letter = BOLT.charAt(index)
      const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
      if (other === letter) continue
      const changed = BOLT.slice(0, index) + other + BOLT.slice(index + 1)
      expect(() => validateParams('token.price', { address: changed }), changed).toThrow(InvalidRequestError)
    }
  })

  test('the test vectors of EIP-55 are accepted', () => {
    for (const address of [
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
      '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
      '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
      '0x52908400098527886E0F7030069857D2E4169EE7',
      '0xde709f2102306220921060314715629080e2fb77',
    ]) {
      expect(checksumAddress(address.toLowerCase())).toBe(address)
    }
  })

  test('the error names the place of a wrong address in a list', () => {
    const { message } = refused('prices.batch', { addresses: [BOLT, LOWER, WRONG] })
    expect(message).toContain('addresses[2]')
    expect(message).toContain(WRONG)
  })

  test('an empty batch is accepted', () => {
    expect(validateParams('prices.batch', { addresses: [] })).toMatchObject({ values: { addresses: [] } })
  })

  test.each([
    '',
    '0x',
    BOLT.slice(2),
    `${BOLT}0`,
    BOLT.slice(0, -1),
    `0x${'g'.repeat(40)}`,
    ` ${BOLT}`,
    `${BOLT}\n`,
    `${LOWER}/`,
    '../../me',
    '..',
    '%2e%2e',
    `${LOWER.slice(0, -3)}/..`,
    'etn',
    null,
    5,
    {},
    [],
    undefined,
    [LOWER],
  ])('%j is rejected', (address) => {
    const { message } = refused('token.price', { address })
    expect(message).toMatch(/token\.price.*address.*0x and 40 hex digits/)
    if (typeof address === 'string') expect(message).toContain(JSON.stringify(address))
  })

  test.each([[undefined], [LOWER], [[null]], [[LOWER, '']], [{ 0: LOWER, length: 1 }]])(
    'a batch of %j is rejected',
    (list) => expect(refused('prices.batch', { addresses: list }).message).toContain('addresses'),
  )
})
