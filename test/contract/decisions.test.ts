import { readFileSync } from 'node:fs'
import { createClient, type OperationId, operations, type PlannedCall, planCredits } from 'etn-market'
import { expect, test } from 'vitest'
import { SWEEPS } from '../../src/cli/commands/sweep.ts'
import { FRESHNESS_MS } from '../../src/generated/freshness.ts'
import { addresses } from '../support/setup.ts'

interface Decision {
  /** Its answer is about the key and not about the market, so that nothing keeps it for others. @default about the market */
  isOfKey?: boolean
  /** `etn-market sweep` calls it for a list of addresses. @default one calls it for an address now and then, or for none */
  isSwept?: boolean
  /** The operation that has the same data for less, which the advice of a plan names. @default none */
  insteadOf?: OperationId
}

/** What nothing but a person can decide about an operation. A new one is missing here, which the compiler says. */
const DECISIONS: Record<OperationId, Decision> = {
  'etn.price': {},
  'token.price': { insteadOf: 'prices.batch' },
  'token.list': {},
  'token.get': {},
  'token.candles': { isSwept: true },
  'token.history': {},
  'prices.batch': {},
  'pool.list': {},
  'trade.list': {},
  'nft.stats': {},
  'nft.collections': {},
  'nft.collection': { isSwept: true, insteadOf: 'nft.stats' },
  'nft.assets': {},
  'presale.list': {},
  'presale.get': {},
  'balances.get': { isSwept: true },
  'locks.get': { isSwept: true },
  'farm.list': {},
  'account.me': { isOfKey: true },
  'meta.openapi': {},
}
const decided = Object.entries(DECISIONS) as [OperationId, Decision][]
const namesOf = (wanted: (decision: Decision) => unknown) =>
  decided.filter(([, decision]) => wanted(decision)).map(([operation]) => operation)

test('what is about a key is shown by nobody for longer than it takes to read it', () => {
  const neverShown = Object.entries(FRESHNESS_MS).filter(([, ms]) => ms === 0)
  expect(neverShown.map(([operation]) => operation)).toEqual(namesOf(({ isOfKey }) => isOfKey))
})

test.each(decided)(
  'a client keeps the answers of %s, unless they are about its key',
  (operation, { isOfKey = false }) => {
    const create = () => createClient({ cache: { ttlMs: { [operation]: 1_000 } } })
    if (isOfKey) expect(create).toThrow(`Unknown operation of cache.ttlMs "${operation}"`)
    else expect(create).not.toThrow()
  },
)

const takesAddress = ({ params }: { params: readonly { name: string }[] }) =>
  params.some(({ name }) => name === 'address')
const asked = decided.filter(([operation]) => takesAddress(operations[operation]))

test.each(asked)(
  'a plan advises against many calls of %s where another operation has the same',
  (operation, { insteadOf }) => {
    const calls = addresses(40).map((address) => ({ operation, params: { address }, every: '1h' }) as PlannedCall)
    const advice = planCredits(calls).advice.map(({ message }) => /one ([a-z.]+)/.exec(message)?.[1])
    expect(advice).toEqual(insteadOf === undefined ? [] : [insteadOf])
  },
)

test('the program sweeps the operations that are called for lists of addresses', () => {
  expect(Object.values(SWEEPS).sort()).toEqual(namesOf(({ isSwept }) => isSwept).sort())
})

test('the matrix says how many operations its scenario calls', () => {
  const text = readFileSync('test/matrix/README.md', 'utf8')
  expect(text).toContain(`The scenario calls all ${Object.keys(operations).length} operations`)
})
