import { estimateCost, type OperationId, operations } from 'etn-market'
import { expect, test } from 'vitest'
import { chargeOf } from '../../src/request/billing.ts'
import type { PlannedRequest } from '../../src/request/plan-requests.ts'
import type { AttemptOutcome } from '../../src/transport/transport.ts'
import { address, addresses } from '../support/setup.ts'

// What a client does with a charge is in test/behaviour/charged.test.ts.

const WORST = 200

/** What a request is charged whose answer has this body. */
function chargeFor(operation: OperationId, params: object, body: unknown, headers: HeadersInit = {}, status = 200) {
  const estimate = estimateCost as (operation: OperationId, params: object) => { min: number; max: number }
  const { credits: price } = operations[operation]
  const { addresses: list = [] } = params as { addresses?: string[] }
  const request = { operation, price, addresses: list, cost: estimate(operation, params) }
  const outcome = { response: { status, headers: new Headers(headers), text: '' } }
  return chargeOf(request as unknown as PlannedRequest, outcome as unknown as AttemptOutcome, body)
}

const list = (cost: string[] | undefined, status = 200) =>
  chargeFor(
    'token.list',
    { limit: 20 },
    { data: [{}, {}, {}] },
    cost?.map((one) => ['x-credits-cost', one]),
    status,
  )

test.each([
  ['0', 0],
  ['007', 7],
  [' 42 ', 42],
  ['200', 200],
  // The most that a header may state.
  ['1000000000000', 1_000_000_000_000],
])('the header %j is charged %i', (cost, credits) => {
  expect(list([cost])).toEqual({ state: 'charged', credits, fromHeader: true })
  expect(list([cost], 206)).toEqual({ state: 'charged', credits, fromHeader: true })
})

test.each([
  [undefined],
  [['']],
  [['many']],
  [['-115']],
  [['+5']],
  [['115.0']],
  [['1e3']],
  [['0x10']],
  [['5 credits']],
  [['NaN']],
  [['Infinity']],
  [['115', '115']],
  [['50', '60']],
  [['50, 50']],
  [['1000000000001']],
  [['9'.repeat(20)]],
  [['9'.repeat(40)]],
])('no valid header, such as %j, is charged the price of the items', (cost) => {
  expect(list(cost)).toEqual({ state: 'charged', credits: 115, fromHeader: false })
})

const TOKEN = { address: address(1) }
test.each<[string, OperationId, object, unknown, number]>([
  ['a flat price', 'etn.price', {}, { usd: '1' }, 25],
  ['a full list', 'token.list', {}, Array(100).fill({}), 600],
  ['candles', 'token.candles', TOKEN, Array(12).fill({}), 112],
  ['trades', 'trade.list', { limit: 5 }, Array(5).fill({}), 300],
  ['an empty list', 'nft.assets', TOKEN, [], 400],
  ['balances', 'balances.get', TOKEN, { balances: { a: {}, b: {}, c: {} } }, 830],
  ['no balances', 'balances.get', TOKEN, { balances: {} }, 800],
  ['a batch', 'prices.batch', { addresses: addresses(7) }, {}, 170],
  ['a heavy list', 'farm.list', {}, [{}, {}], 3_000],
  ['a list in an object', 'token.list', {}, { tokens: Array(100).fill({}) }, 600],
  ['a text', 'token.list', { limit: 20 }, 'text', WORST],
  ['null', 'token.list', { limit: 20 }, null, WORST],
  ['an object without balances', 'balances.get', TOKEN, {}, 2_800],
])(
  '%s without a header is charged base + items, or the worst case where none can be counted',
  (...[, operation, params, data, credits]) => {
    expect(chargeFor(operation, params, { data })).toEqual({ state: 'charged', credits, fromHeader: false })
  },
)

test('a free operation is never charged', () => {
  expect(chargeFor('account.me', {}, { data: {} }, { 'x-credits-cost': '5' }).state).toBe('none')
})
