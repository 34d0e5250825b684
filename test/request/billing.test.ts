import type { OperationId } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { validateParams } from '../../src/operations/validate-params.ts'
import { chargeOf } from '../../src/request/billing.ts'
import { type PlannedRequest, planPath, planRequests } from '../../src/request/plan-requests.ts'
import { parseJson } from '../../src/request/read-answer.ts'
import { address, addresses } from '../support/setup.ts'

const NONE = { state: 'none', credits: 0 }
const UNKNOWN = { state: 'unknown', credits: 0 }
const computed = (credits: number) => ({ state: 'charged', credits, fromHeader: false })
const fromHeader = (credits: number) => ({ state: 'charged', credits, fromHeader: true })

function plan(operation: OperationId, params?: object): PlannedRequest {
  const [request] = planRequests(validateParams(operation, params))
  if (request === undefined) throw new Error('No request')
  return request
}

const LIST = plan('token.list', { limit: 20 })
const _PRICE = plan('token.price', { address: address(1) })
const _ME = plan('account.me')

function answered(
  request: PlannedRequest,
  status: number,
  text: string,
  cost?: string | readonly string[],
  contentType = 'application/json',
) {
  const headers = new Headers({ 'content-type': contentType })
  for (const line of cost === undefined ? [] : typeof cost === 'string' ? [cost] : cost)
    headers.append('x-credits-cost', line)
  return chargeOf(request, { response: { status, headers, text } }, parseJson(text))
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
    expect(answered(LIST, 200, list(3), cost)).toEqual(fromHeader(credits))
    expect(answered(LIST, 206, 'not json', cost)).toEqual(fromHeader(credits))
  })
})

describe('a 2xx whose header is missing, unreadable or duplicated is charged the computed price of its items', () => {
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
    expect(answered(plan(operation, params), 200, JSON.stringify({ data, cursor: null }))).toEqual(computed(credits))
  })

  test.each<[OperationId, object | undefined, unknown, number]>([
    ['token.list', undefined, { tokens: Array(100).fill({}) }, 600],
    ['token.list', { limit: 20 }, 'text', 200],
    ['token.list', { limit: 20 }, null, 200],
    ['balances.get', { address: address(1) }, {}, 2_800],
    ['balances.get', { address: address(1) }, null, 2_800],
  ])('%s %j: the worst case where the items cannot be counted', (operation, params, data, credits) => {
    expect(answered(plan(operation, params), 200, JSON.stringify({ data }))).toEqual(computed(credits))
  })
})

test.each([502, 504, 520, 522, 599])('a %i without a JSON body may have been charged: a gateway answered', (status) => {
  for (const text of ['<html>', '', 'upstream timed out', '{"error":']) {
    expect(answered(LIST, status, text)).toMatchObject(UNKNOWN)
    expect(answered(LIST, status, text, undefined, 'text/html')).toMatchObject(UNKNOWN)
  }
})

test.each([500, 501, 503, 505, 519])('a %i without a JSON body is charged nothing', (status) => {
  for (const text of ['<html>', '']) expect(answered(LIST, status, text)).toMatchObject(NONE)
})

test('client.request() with maxCredits 0 may have been charged too: its price is not known', () => {
  const free = planPath('/status', undefined, 0)
  expect(answered(free, 200, '{"data":{}}')).toEqual(computed(0))
  expect(answered(free, 502, '<html>')).toMatchObject(UNKNOWN)
})
