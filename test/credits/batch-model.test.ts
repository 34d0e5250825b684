import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checksumAddress, createClient, NotFoundError, PartialBatchError, type TokenPrice } from '../../src/index.ts'

const ADDRESSES = Array.from({ length: 300 }, (_, i) =>
  checksumAddress(`0x${(0xabcdef01n * BigInt(i + 7) ** 4n).toString(16).padStart(40, '0')}`),
)
const SPELLINGS = [
  (address: string) => address,
  (address: string) => address.toLowerCase(),
  (address: string) => `0x${address.slice(2).toUpperCase()}`,
]

const ok = (data: unknown, cost: number) =>
  Response.json({ data, cursor: null }, { headers: { 'x-credits-cost': String(cost), 'x-credits-remaining': '1' } })
const failure = (status: number, code: string) => Response.json({ error: { code, message: 'scripted' } }, { status })

/** A service of a dozen lines: prices from a map, some tokens absent, requests for some addresses failing; it counts for itself. */
function scripted(absent: ReadonlySet<string>, poison: ReadonlySet<string>) {
  const seen = { requests: 0, charged: 0, largest: 0 }
  const priceOf = (address: string) => ({ usd: `0.${parseInt(address.slice(-6), 16)}`, etn: address.slice(-4) })
  const fetch = async (url: string) => {
    seen.requests++
    const { pathname, searchParams } = new URL(url)
    const asked = searchParams.get('addresses')?.split(',')
    if (asked === undefined) {
      const address = pathname.split('/').at(-1)!.toLowerCase()
      return absent.has(address)
        ? failure(404, 'not_found')
        : ok({ address: checksumAddress(address), ...priceOf(address) }, 50)
    }
    seen.largest = Math.max(seen.largest, asked.length)
    const keys = asked.map((address) => address.toLowerCase())
    if (keys.some((key) => poison.has(key))) return failure(500, 'broken')
    const cost = 100 + 10 * keys.length
    seen.charged += cost
    return ok(Object.fromEntries(keys.filter((key) => !absent.has(key)).map((key) => [key, priceOf(key)])), cost)
  }
  const client = createClient({
    apiKey: 'esk_live_test',
    baseUrl: 'http://service.test/v1',
    fetch,
    retry: false,
    validate: 'strict',
    batchConcurrency: 3,
  })
  return { client, seen }
}

/** The same answer by one look-up after another, in the caller's spelling. */
async function plainLoop(addresses: readonly string[], absent: ReadonlySet<string>) {
  const { client } = scripted(absent, new Set())
  const prices: Record<string, TokenPrice | null> = {}
  for (const address of new Set(addresses)) {
    try {
      prices[address] = await client.token.price({ address })
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error
      prices[address] = null
    }
  }
  return prices
}

const lists = fc.array(fc.tuple(fc.nat(ADDRESSES.length - 1), fc.nat(2)), { minLength: 0, maxLength: 260, size: 'max' })
const spell = (list: readonly [number, number][]) => list.map(([which, how]) => SPELLINGS[how]!(ADDRESSES[which]!))
const some = (every: number) =>
  fc
    .nat(every - 1)
    .map((offset) => new Set(ADDRESSES.filter((_, i) => i % every === offset).map((address) => address.toLowerCase())))

const unique = (addresses: readonly string[]) => [...new Set(addresses.map((address) => address.toLowerCase()))]

test('a batch of any size is the plain loop over single look-ups, for what the estimate says', async () => {
  await fc.assert(
    fc.asyncProperty(lists, some(7), async (list, absent) => {
      const addresses = spell(list)
      const { client, seen } = scripted(absent, new Set())
      if (addresses.length === 0) {
        await expect(client.prices.batch({ addresses })).rejects.toMatchObject({ name: 'InvalidRequestError' })
        expect(seen.requests).toBe(0)
        return
      }
      const estimate = client.prices.batch.estimate({ addresses })
      const { data, meta } = await client.prices.batch({ addresses }).withMeta()
      expect(data).toEqual(await plainLoop(addresses, absent))
      const size = unique(addresses).length
      const requests = Math.ceil(size / 50)
      const cost = 100 * requests + 10 * size
      expect(estimate).toEqual({ min: cost, max: cost, requests })
      expect(seen).toEqual({ requests, charged: cost, largest: Math.min(50, size) })
      expect(meta).toMatchObject({
        credits: { estimated: cost, charged: cost, source: 'header' },
        requests,
        attempts: requests,
      })
      expect([client.budget.spent, client.budget.reserved, client.budget.uncertain]).toEqual([cost, 0, 0])
    }),
    { numRuns: 60, endOnFailure: true },
  )
})

test('when chunks fail, what was paid for and what is missing make up the plain loop', async () => {
  await fc.assert(
    fc.asyncProperty(lists, some(7), some(60), async (list, absent, poison) => {
      const addresses = spell(list)
      fc.pre(addresses.length > 0)
      const keys = unique(addresses)
      const failed = new Set<string>()
      let failedChunks = 0
      for (let start = 0; start < keys.length; start += 50) {
        const chunk = keys.slice(start, start + 50)
        if (!chunk.some((key) => poison.has(key))) continue
        failedChunks++
        for (const key of chunk) failed.add(key)
      }
      const { client, seen } = scripted(absent, poison)
      const outcome = await client.prices.batch({ addresses }).then(
        (prices) => ({ prices }),
        (error) => ({ error }),
      )
      const loop = Object.entries(await plainLoop(addresses, absent))
      const paidFor = Object.fromEntries(loop.filter(([spelling]) => !failed.has(spelling.toLowerCase())))
      const missing = loop.map(([spelling]) => spelling).filter((spelling) => failed.has(spelling.toLowerCase()))
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
    { numRuns: 60, endOnFailure: true },
  )
})
