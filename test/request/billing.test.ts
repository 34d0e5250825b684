import type { OperationId } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { validateParams } from '../../src/operations/validate-params.ts'
import { chargeOf } from '../../src/request/billing.ts'
import { parseJson } from '../../src/request/parse-response.ts'
import { planPath } from '../../src/request/plan-path.ts'
import { planRequests } from '../../src/request/plan-requests.ts'
import type { PlannedRequest } from '../../src/request/types.ts'
import type { TransportFailure } from '../../src/transport/transport.ts'
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
const PRICE = plan('token.price', { address: address(1) })
const ME = plan('account.me')

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

describe('an HTML page with status 2xx and without a credits header', () => {
  const PAGE = '<!doctype html><title>My dApp</title>'

  test.each(['text/html', 'text/html; charset=utf-8', ' Text/HTML'])('%j: charges nothing', (type) => {
    expect(answered(LIST, 200, PAGE, undefined, type)).toMatchObject(NONE)
    expect(answered(PRICE, 203, PAGE, undefined, type)).toMatchObject(NONE)
  })

  test('charges what its header states where it has one', () => {
    expect(answered(LIST, 200, PAGE, '150', 'text/html')).toEqual(fromHeader(150))
    expect(answered(LIST, 200, PAGE, 'five', 'text/html')).toEqual(computed(200))
  })

  test.each(['text/plain', 'application/json', 'application/xhtml+xml'])(
    '%j is another type: charges the worst case',
    (type) => expect(answered(LIST, 200, PAGE, undefined, type)).toEqual(computed(200)),
  )
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

describe('an attempt without a whole answer', () => {
  const head = (status: number, cost?: string) => ({
    status,
    headers: new Headers(cost ? { 'x-credits-cost': cost } : {}),
    text: undefined,
  })
  const failed = (request: PlannedRequest, failure: Partial<TransportFailure>) =>
    chargeOf(request, { failure: { kind: 'network', mayHaveArrived: true, cause: undefined, ...failure } }, undefined)
  const KINDS = ['network', 'timeout', 'aborted', 'hook', 'invalid_fetch'] as const

  test.each(KINDS)('%s after the request was sent: unknown', (kind) => {
    expect(failed(PRICE, { kind })).toMatchObject(UNKNOWN)
  })

  test.each(KINDS)('%s before the request reached the service: nothing', (kind) => {
    expect(failed(PRICE, { kind, mayHaveArrived: false })).toMatchObject(NONE)
  })

  test('a redirect that is not followed: nothing', () => {
    expect(failed(PRICE, { kind: 'redirect', response: head(302) })).toMatchObject(NONE)
    expect(failed(PRICE, { kind: 'redirect' })).toMatchObject(NONE)
  })

  test.each(['network', 'timeout', 'aborted'] as const)('%s in the body of a 2xx: the header, else unknown', (kind) => {
    expect(failed(PRICE, { kind, response: head(200, '50') })).toEqual(fromHeader(50))
    expect(failed(PRICE, { kind, response: head(200) })).toMatchObject(UNKNOWN)
    expect(failed(PRICE, { kind, response: head(200, '50, 50') })).toMatchObject(UNKNOWN)
  })

  test('in the body of a 4xx: nothing; of a 502 or 504: unknown', () => {
    expect(failed(PRICE, { response: head(404) })).toMatchObject(NONE)
    expect(failed(PRICE, { response: head(429) })).toMatchObject(NONE)
    expect(failed(PRICE, { response: head(502) })).toMatchObject(UNKNOWN)
    expect(failed(PRICE, { response: head(504) })).toMatchObject(UNKNOWN)
  })

  test('a hook that fails after the whole answer arrived: charged like the answer', () => {
    const response = { ...head(200, '50'), text: '{"data":{}}' }
    expect(failed(PRICE, { kind: 'hook', response })).toEqual(fromHeader(50))
    const body = list(7)
    const outcome = {
      failure: {
        kind: 'hook' as const,
        mayHaveArrived: true,
        cause: undefined,
        response: { ...head(200), text: body },
      },
    }
    expect(chargeOf(LIST, outcome, parseJson(body))).toEqual(computed(135))
  })
})

describe('a request of client.request()', () => {
  const UNPLANNED = planPath('/staking/52014', undefined, 500)

  test('is charged what the header states, else maxCredits', () => {
    expect(answered(UNPLANNED, 200, list(3), '120')).toEqual(fromHeader(120))
    expect(answered(UNPLANNED, 200, list(3))).toEqual(computed(500))
    expect(answered(UNPLANNED, 404, '{}')).toMatchObject(NONE)
  })

  test('may have been charged with maxCredits 0 too: its price is not known', () => {
    const free = planPath('/status', undefined, 0)
    expect(answered(free, 200, '{"data":{}}')).toEqual(computed(0))
    expect(answered(free, 502, '<html>')).toMatchObject(UNKNOWN)
  })
})

describe('a free operation is charged nothing, also when its answer is lost', () => {
  test.each(['', 'not json', '{"data":{}}'])('%j', (text) => expect(answered(ME, 200, text)).toMatchObject(NONE))
  test('a gateway', () => expect(answered(ME, 502, '<html>')).toMatchObject(NONE))
  test.each(['network', 'timeout', 'aborted'] as const)('%s', (kind) => {
    expect(chargeOf(ME, { failure: { kind, mayHaveArrived: true, cause: undefined } }, undefined)).toMatchObject(NONE)
  })
})
