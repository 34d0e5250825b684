import type { OperationId } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { costOfRequest, splitCall } from '../../src/estimate.ts'
import { chargeOf } from '../../src/request/charge.ts'
import { parseJson } from '../../src/request/decode.ts'
import { checkParams } from '../../src/request/params.ts'
import { toPart } from '../../src/request/part.ts'
import type { Loss, Part } from '../../src/request/types.ts'
import { address, addresses } from '../support/setup.ts'

const NONE = { state: 'none', credits: 0 }
const UNKNOWN = { state: 'unknown', credits: 0 }
const computed = (credits: number) => ({ state: 'charged', credits, told: false })
const told = (credits: number) => ({ state: 'charged', credits, told: true })

function partOf(operation: OperationId, params?: object): Part {
  const [part] = splitCall(checkParams(operation, params)).map((request) => toPart(request, costOfRequest(request)))
  if (part === undefined) throw new Error('No part')
  return part
}

const LIST = partOf('token.list', { limit: 20 })
const PRICE = partOf('token.price', { address: address(1) })
const ME = partOf('account.me')

function answered(part: Part, status: number, text: string, cost?: string | readonly string[]) {
  const headers = new Headers()
  for (const line of cost === undefined ? [] : typeof cost === 'string' ? [cost] : cost)
    headers.append('x-credits-cost', line)
  return chargeOf(part, { reply: { status, headers, text } }, parseJson(text))
}

const list = (count: number) => JSON.stringify({ data: Array.from({ length: count }, () => ({})), cursor: null })

describe('a 2xx with one valid whole number in X-Credits-Cost is charged from the header', () => {
  test.each([
    ['150', 150],
    ['0', 0],
    ['007', 7],
    [' 42 ', 42],
    ['999999', 999_999],
  ])('%j', (cost, credits) => {
    expect(answered(LIST, 200, list(3), cost)).toEqual(told(credits))
    expect(answered(LIST, 206, 'not json', cost)).toEqual(told(credits))
  })
})

describe('a 2xx whose header is missing, unreadable or duplicated is charged as computed from the items', () => {
  test.each<[string | readonly string[] | undefined]>([
    [undefined],
    [''],
    ['-5'],
    ['+5'],
    ['5.0'],
    ['1e3'],
    ['0x10'],
    ['five'],
    ['5 credits'],
    ['9'.repeat(20)],
    [['50', '50']],
    [['50', '60']],
    ['50, 50'],
    ['NaN'],
    ['Infinity'],
  ])('%j', (cost) => expect(answered(LIST, 200, list(7), cost)).toEqual(computed(135)))

  test.each<[OperationId, object | undefined, unknown, number]>([
    ['etn.price', undefined, { usd: '1' }, 25],
    ['token.list', undefined, Array(100).fill({}), 600],
    ['token.candles', { address: address(1) }, Array(12).fill({}), 112],
    ['trade.list', { limit: 5 }, Array(5).fill({}), 300],
    ['nft.assets', { address: address(1) }, [], 400],
    ['balances.get', { address: address(1) }, { balances: { a: {}, b: {}, c: {} } }, 830],
    ['balances.get', { address: address(1) }, { balances: {} }, 800],
    ['prices.batch', { addresses: addresses(7) }, {}, 170],
    ['farm.list', undefined, [{}, {}], 3_000],
    ['locks.get', { address: address(1) }, [], 2_000],
  ])('%s %j: base + per item × items', (operation, params, data, credits) => {
    expect(answered(partOf(operation, params), 200, JSON.stringify({ data, cursor: null }))).toEqual(computed(credits))
  })

  test.each<[OperationId, object | undefined, unknown, number]>([
    ['token.list', undefined, { tokens: Array(100).fill({}) }, 600],
    ['token.list', { limit: 20 }, 'text', 200],
    ['token.list', { limit: 20 }, null, 200],
    ['balances.get', { address: address(1) }, {}, 2_800],
    ['balances.get', { address: address(1) }, null, 2_800],
  ])('%s %j: the worst case where the items cannot be counted', (operation, params, data, credits) => {
    expect(answered(partOf(operation, params), 200, JSON.stringify({ data }))).toEqual(computed(credits))
  })
})

describe('a complete 2xx that cannot be decoded', () => {
  test.each(['', 'not json', '{"data":', '[]', '5', 'null', '{"error":{}}'])(
    '%j is charged the worst case without a header',
    (text) => {
      expect(answered(LIST, 200, text)).toEqual(computed(200))
      expect(answered(PRICE, 200, text)).toEqual(computed(50))
    },
  )
})

describe('an error of the service is charged nothing', () => {
  test.each([400, 401, 402, 403, 404, 408, 418, 429, 499])('%i, JSON or not, header or not', (status) => {
    for (const text of ['{"error":{}}', '<html>', '']) {
      expect(answered(LIST, status, text)).toMatchObject(NONE)
      expect(answered(LIST, status, text, '150')).toMatchObject(NONE)
    }
  })

  test.each([500, 501, 502, 503, 504, 520, 599])('%i with a JSON body', (status) => {
    expect(answered(LIST, status, '{"error":{"code":"x"}}')).toMatchObject(NONE)
  })
})

test.each([502, 504])('a %i without a JSON body may have been charged: a gateway spoke', (status) => {
  for (const text of ['<html>', '', 'upstream timed out', '{"error":']) {
    expect(answered(LIST, status, text)).toMatchObject(UNKNOWN)
  }
})

describe('an answer that got lost', () => {
  const reply = (status: number, cost?: string) => ({
    status,
    headers: new Headers(cost ? { 'x-credits-cost': cost } : {}),
    text: undefined,
  })
  const lost = (part: Part, loss: Partial<Loss>) =>
    chargeOf(part, { loss: { kind: 'network', sent: true, reply: undefined, cause: undefined, ...loss } }, undefined)

  test.each(['network', 'timeout', 'aborted'] as const)('%s after the request was sent: unknown', (kind) => {
    expect(lost(PRICE, { kind })).toMatchObject(UNKNOWN)
  })

  test('never reached the service: nothing', () => expect(lost(PRICE, { sent: false })).toMatchObject(NONE))

  test.each(['network', 'timeout', 'aborted'] as const)('%s in the body of a 2xx: the header, else unknown', (kind) => {
    expect(lost(PRICE, { kind, reply: reply(200, '50') })).toEqual(told(50))
    expect(lost(PRICE, { kind, reply: reply(200) })).toMatchObject(UNKNOWN)
    expect(lost(PRICE, { kind, reply: reply(200, '50, 50') })).toMatchObject(UNKNOWN)
  })

  test('in the body of a 4xx: nothing; of a 502 or 504: unknown', () => {
    expect(lost(PRICE, { reply: reply(404) })).toMatchObject(NONE)
    expect(lost(PRICE, { reply: reply(429) })).toMatchObject(NONE)
    expect(lost(PRICE, { reply: reply(502) })).toMatchObject(UNKNOWN)
    expect(lost(PRICE, { reply: reply(504) })).toMatchObject(UNKNOWN)
  })
})

describe('a free operation is never charged, whatever got lost', () => {
  test.each(['', 'not json', '{"data":{}}'])('%j', (text) => expect(answered(ME, 200, text)).toMatchObject(NONE))
  test('a gateway', () => expect(answered(ME, 502, '<html>')).toMatchObject(NONE))
  test.each(['network', 'timeout', 'aborted'] as const)('%s', (kind) => {
    expect(chargeOf(ME, { loss: { kind, sent: true, reply: undefined, cause: undefined } }, undefined)).toMatchObject(
      NONE,
    )
  })
})
