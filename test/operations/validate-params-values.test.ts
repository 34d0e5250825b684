import { InvalidLimitError, type OperationId, operations } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { validateParams } from '../../src/operations/validate-params.ts'
import { buildPath } from '../../src/request/plan-requests.ts'
import { pathOf, refused } from '../support/params.ts'

const BOLT = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'
const LOWER = BOLT.toLowerCase()
const UPPER = `0x${BOLT.slice(2).toUpperCase()}`

describe('limit', () => {
  const limits = Object.entries(operations).flatMap(([id, { params }]) =>
    params.flatMap((param) => ('max' in param ? [[id as OperationId, param.max] as const] : [])),
  )
  const documented = {
    'token.list': 100,
    'token.candles': 500,
    'pool.list': 100,
    'trade.list': 25,
    'nft.collections': 50,
    'nft.assets': 50,
    'presale.list': 50,
    'balances.get': 200,
  }

  test('has the documented maximum on every route', () => {
    expect(Object.fromEntries(limits)).toEqual(documented)
  })

  test.each(limits)(
    '%s: accepts whole numbers from 1 to %i; the error names the parameter, the value and the rule',
    (operation, max) => {
      const params = operations[operation].params.some(({ name }) => name === 'address') ? { address: LOWER } : {}
      for (const limit of [1, max]) expect(pathOf(operation, { ...params, limit })).toContain(`limit=${limit}`)
      for (const limit of [0, -1, 1.5, max + 1, Number.NaN, Number.POSITIVE_INFINITY, 1e21, '5', null, true, [5]]) {
        const error = refused(operation, { ...params, limit })
        expect(error).toBeInstanceOf(InvalidLimitError)
        expect(error.message).toContain('limit')
        expect(error.message).toContain(`a whole number from 1 to ${max}`)
        if (typeof limit === 'number') expect(error.message).toContain(String(limit))
      }
    },
  )
})

describe('choices', () => {
  test.each(['HOUR', 'hour', 'Day', 'wEeK', 'month', 'year'])(
    'duration %j is accepted in any case and sent in upper case',
    (duration) => {
      expect(pathOf('token.history', { address: BOLT, duration })).toBe(
        `tokens/52014/${BOLT}/history?duration=${duration.toUpperCase()}`,
      )
    },
  )

  test.each([
    ['token.history', { address: BOLT, duration: 'DECADE' }, 'duration', 'DECADE'],
    ['token.history', { address: BOLT, duration: ' day' }, 'duration', ' day'],
    ['token.history', { address: BOLT, duration: 'daſ' }, 'duration', 'daſ'],
    ['token.history', { address: BOLT, currency: 'EUR' }, 'currency', 'EUR'],
    ['token.history', { address: BOLT, currency: 'usd' }, 'currency', 'usd'],
    ['token.candles', { address: BOLT, bucket: '1H' }, 'bucket', '1H'],
    ['token.candles', { address: BOLT, bucket: '2h' }, 'bucket', '2h'],
    ['pool.list', { version: 4 }, 'version', '4'],
    ['pool.list', { version: '' }, 'version', ''],
  ] as const)('%s rejects %j', (operation, params, name, value) => {
    const { message } = refused(operation, params)
    expect(message).toContain(name)
    expect(message).toContain(value)
    expect(message).toContain('one of')
  })

  test.each([52014, undefined])('chain %j is accepted', (chainId) => {
    expect(pathOf('farm.list', { chainId })).toBe('farms/52014')
  })

  test.each([1, 0, -52014, '52014', 52014.5, '../me', null, Number.NaN])('chain %j is rejected', (chainId) => {
    const { message } = refused('farm.list', { chainId })
    expect(message).toContain('chainId')
    expect(message).toContain('52014, the only chain')
    expect(message).toContain(String(chainId))
  })
})

describe('parameters as a whole', () => {
  test.each(['cursor', 'Limit', 'adress', '__proto__x', 'constructor'])(
    'the unknown parameter %s is rejected by name',
    (name) => {
      const { message } = refused('token.list', { [name]: 1 })
      expect(message).toContain(`"${name}"`)
      expect(message).toContain('limit')
    },
  )

  test.each([5, 'x', [], true])('%j instead of an object is rejected', (params) => {
    expect(refused('token.list', params).message).toContain('token.list')
  })

  test('a value becomes one path segment', () => {
    const values = { chainId: 52014, address: 'a/../b?c#d' }
    expect(buildPath({ operation: 'token.price', values, originalInputs: [] })).toBe('prices/52014/a%2F..%2Fb%3Fc%23d')
    for (const address of ['', '.', '..']) {
      expect(() => buildPath({ operation: 'token.price', values: { ...values, address }, originalInputs: [] })).toThrow(
        TypeError,
      )
    }
  })

  test('the parameters of the caller are not changed', () => {
    const params = Object.freeze({ addresses: Object.freeze([LOWER, UPPER]) })
    validateParams('prices.batch', params)
    expect(params.addresses).toEqual([LOWER, UPPER])
  })
})
