import { type ClientOptions, checksumAddress, NotFoundError, PartialBatchError, type TokenPrice } from 'etn-market'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { costs, ok, refusal } from '../support/answers.ts'
import { testProperty } from '../support/property.ts'
import type { Handler } from '../support/script.ts'
import { addresses, setup } from '../support/setup.ts'
import { omitStacks } from '../support/short-stacks.ts'

omitStacks()

const ADDRESSES = addresses(300)
const CASES = [
  (address: string) => address,
  (address: string) => address.toLowerCase(),
  (address: string) => `0x${address.slice(2).toUpperCase()}`,
]

/** A service of a dozen lines with a count of its own. Some tokens are absent, and requests for some addresses fail. */
function createService(absent: ReadonlySet<string>, failing: ReadonlySet<string>, options: ClientOptions = {}) {
  const seen = { requests: 0, charged: 0, largest: 0 }
  const priceOf = (address: string) => ({
    usd: `0.${parseInt(address.slice(-6), 16)}`,
    etn: `${parseInt(address.slice(-4), 16)}`,
  })
  const answer: Handler = ({ url: { pathname, searchParams } }) => {
    seen.requests++
    const asked = searchParams.get('addresses')?.split(',')
    if (asked === undefined) {
      const address = pathname.split('/').at(-1)!.toLowerCase()
      return absent.has(address)
        ? refusal(404, 'not_found')
        : ok({ address: checksumAddress(address), ...priceOf(address) }, costs(50, 1))
    }
    seen.largest = Math.max(seen.largest, asked.length)
    const keys = asked.map((address) => address.toLowerCase())
    if (keys.some((key) => failing.has(key))) return refusal(500, 'broken')
    const cost = 100 + 10 * keys.length
    seen.charged += cost
    return ok(
      Object.fromEntries(keys.filter((key) => !absent.has(key)).map((key) => [key, priceOf(key)])),
      costs(cost, 1),
    )
  }
  const { client } = setup(answer, { retry: false, validate: 'strict', batchConcurrency: 3, ...options })
  return { client, seen }
}

/** What a single call returns: kept, because it depends on the address as it is written and on whether it has a price, and on no other. */
const singleAnswers = new Map<string, Promise<TokenPrice | null>>()

/** The same answer by single calls, with the address as the caller wrote it. */
async function readOneByOne(written: readonly string[], absent: ReadonlySet<string>) {
  const { client } = createService(absent, new Set())
  const readOne = async (address: string): Promise<TokenPrice | null> => {
    try {
      return { ...(await client.token.price({ address })), address }
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error
      return null
    }
  }
  const entries = [...new Set(written)].map(async (address): Promise<[string, TokenPrice | null]> => {
    const key = `${address} ${absent.has(address.toLowerCase())}`
    const answer = singleAnswers.get(key) ?? readOne(address)
    singleAnswers.set(key, answer)
    return [address, await answer]
  })
  return Object.fromEntries(await Promise.all(entries))
}

const lists = fc.array(fc.tuple(fc.nat(ADDRESSES.length - 1), fc.nat(2)), { minLength: 0, maxLength: 260, size: 'max' })
const write = (list: readonly [number, number][]) => list.map(([which, how]) => CASES[how]!(ADDRESSES[which]!))
const some = (every: number) =>
  fc
    .nat(every - 1)
    .map((offset) => new Set(ADDRESSES.filter((_, i) => i % every === offset).map((address) => address.toLowerCase())))

const unique = (addresses: readonly string[]) => [...new Set(addresses.map((address) => address.toLowerCase()))]

testProperty(
  'a batch of any size returns what single calls return, and costs what the estimate says',
  fc.asyncProperty(lists, some(7), async (list, absent) => {
    const asked = write(list)
    const { client, seen } = createService(absent, new Set())
    const estimate = client.prices.batch.estimate({ addresses: asked })
    const { data, meta } = await client.prices.batch({ addresses: asked }).withMeta()
    expect(data).toEqual(await readOneByOne(asked, absent))
    const size = unique(asked).length
    const requests = Math.ceil(size / 50)
    const cost = 100 * requests + 10 * size
    expect(estimate).toEqual({ min: cost, max: cost, requests })
    expect(seen).toEqual({ requests, charged: cost, largest: Math.min(50, size) })
    expect(meta).toMatchObject({
      credits: { estimated: cost, charged: cost, source: size === 0 ? 'none' : 'header' },
      requests,
      attempts: requests,
    })
    expect([client.budget.spent, client.budget.reserved, client.budget.uncertain]).toEqual([cost, 0, 0])
  }),
  { cases: 5 },
)

testProperty(
  'when chunks fail, the paid prices and the missing addresses together are what single calls return',
  fc.asyncProperty(lists, some(7), some(60), async (list, absent, failing) => {
    const asked = write(list)
    fc.pre(asked.length > 0)
    const keys = unique(asked).sort()
    const failed = new Set<string>()
    let failedChunks = 0
    for (let start = 0; start < keys.length; start += 50) {
      const chunk = keys.slice(start, start + 50)
      if (!chunk.some((key) => failing.has(key))) continue
      failedChunks++
      for (const key of chunk) failed.add(key)
    }
    const { client, seen } = createService(absent, failing)
    const outcome = await client.prices.batch({ addresses: asked }).then(
      (prices) => ({ prices }),
      (error) => ({ error }),
    )
    const single = Object.entries(await readOneByOne(asked, absent))
    const paidFor = Object.fromEntries(single.filter(([written]) => !failed.has(written.toLowerCase())))
    const missing = single.map(([written]) => written).filter((written) => failed.has(written.toLowerCase()))
    if (failedChunks === 0) expect(outcome).toEqual({ prices: paidFor })
    else if (keys.length <= 50)
      expect(outcome).toMatchObject({ error: { name: 'ServiceError', credits: 0, charge: 'none' } })
    else {
      const { error } = outcome as { error: PartialBatchError }
      expect(error).toBeInstanceOf(PartialBatchError)
      expect(error.prices).toEqual(paidFor)
      expect([...error.missing].sort()).toEqual(missing.sort())
      expect(error.errors.map(({ name }) => name)).toEqual(Array(failedChunks).fill('ServiceError'))
      expect(error).toMatchObject({
        credits: seen.charged,
        attempts: seen.requests,
        charge: seen.charged > 0 ? 'charged' : 'none',
      })
    }
    expect(seen.requests).toBe(Math.ceil(keys.length / 50))
    expect([client.budget.spent, client.budget.reserved, client.budget.uncertain]).toEqual([seen.charged, 0, 0])
  }),
  { cases: 8 },
)

testProperty(
  'a batch of any size is bought once, whatever the order, the spelling and the repetitions of its addresses, and keyed as it is asked for',
  fc.asyncProperty(lists, fc.infiniteStream(fc.nat()), fc.boolean(), async (list, random, isAtOnce) => {
    fc.pre(list.length > 0)
    const again = [...list, ...list.slice(0, 9)]
      .map(([which, how]) => ({ which, how: how + (random.next().value ?? 0), at: random.next().value ?? 0 }))
      .sort((one, other) => one.at - other.at)
    const [first, second] = [write(list), write(again.map(({ which, how }) => [which, how % 3]))]
    const ttlMs = { 'prices.batch': 1_000 }
    const { client, seen } = createService(new Set(), new Set(), isAtOnce ? {} : { cache: { ttlMs } })
    const one = client.prices.batch({ addresses: first })
    if (!isAtOnce) await one
    const [, prices] = await Promise.all([one, client.prices.batch({ addresses: second })])
    const size = unique(first).length
    expect(seen.charged).toBe(client.prices.batch.estimate({ addresses: first }).max)
    expect(seen.requests).toBe(Math.ceil(size / 50))
    expect(Object.keys(prices)).toEqual([...new Set(second)])
    expect(prices).toEqual(await readOneByOne(second, new Set()))
  }),
  { cases: 12 },
)

test('the address of a price is as the caller wrote it, unless the service sends one', async () => {
  const [first = '', second = ''] = ADDRESSES
  const sent = checksumAddress(second)
  const { client } = setup(() =>
    ok({ [first.toLowerCase()]: { usd: '1' }, [second.toLowerCase()]: { usd: '2', address: sent } }, costs(120)),
  )
  const lower = second.toLowerCase()
  const upper = `0x${first.slice(2).toUpperCase()}`
  expect(await client.prices.batch({ addresses: [upper, lower, first] })).toEqual({
    [upper]: { usd: '1', address: upper },
    [lower]: { usd: '2', address: sent },
    [first]: { usd: '1', address: first },
  })
})
