import { describe, expect, test } from 'vitest'
import { costs, ok, refusal } from '../support/answers.ts'
import type { Exchange, Handler } from '../support/script.ts'
import { address, addresses, setup, watch } from '../support/setup.ts'

const asked = ({ url }: Exchange) => (url.searchParams.get('addresses') ?? '').split(',')

/** Answers like the service: keyed by lower-case address, without tokens that have no price. */
const serve =
  (hasPrice: (address: string) => boolean = () => true): Handler =>
  (exchange) => {
    const list = asked(exchange)
    const priced = list.filter(hasPrice).map((token) => [token.toLowerCase(), { usd: token.slice(-3), etn: '1' }])
    return ok(Object.fromEntries(priced), costs(100 + 10 * list.length))
  }

// How many requests it sends and what they cost is in `test/credits/batch-model.test.ts`.
describe('prices.batch', () => {
  test('returns prices in the order of the addresses, keyed by address as the caller wrote it', async () => {
    const { client } = setup(serve())
    const [one, two, three] = addresses(3) as [string, string, string]
    const asWritten = [three.toLowerCase(), one, `0x${two.slice(2).toUpperCase()}`]
    const prices = await client.prices.batch({ addresses: asWritten })
    expect(Object.keys(prices)).toEqual(asWritten)
    expect(Object.values(prices).map((price) => price?.usd)).toEqual(['002', '000', '001'])
  })

  test('does not notice when the caller changes the list during the call', async () => {
    const { client, clock, script } = setup(() => undefined)
    const list = addresses(2)
    const outcome = watch(client.prices.batch({ addresses: list }))
    await clock.advance(0)
    list.reverse().push(address(9))
    script.open[0]?.answer(
      ok({ [address(0).toLowerCase()]: { usd: '0' }, [address(1).toLowerCase()]: { usd: '1' } }, costs(120)),
    )
    await clock.advance(0)
    expect(outcome.value).toMatchObject({ [address(0)]: { usd: '0' }, [address(1)]: { usd: '1' } })
    expect(Object.keys(outcome.value ?? {})).toHaveLength(2)
  })

  test('sends each address once, in lower case, and returns a price for every form of it', async () => {
    const { client, script } = setup(serve())
    const [one, two] = addresses(2) as [string, string]
    const asWritten = [one, one.toLowerCase(), two, one, `0x${one.slice(2).toUpperCase()}`]
    const prices = await client.prices.batch({ addresses: asWritten })
    expect(script.requests).toHaveLength(1)
    expect(asked(script.requests[0]!)).toEqual([one, two].map((token) => token.toLowerCase()))
    expect(Object.keys(prices)).toEqual([...new Set(asWritten)])
    expect(client.credits.charged).toBe(120)
  })

  test('finds the price of an address in whatever case the service writes it', async () => {
    const [one = '', two = ''] = addresses(2)
    const { client } = setup(() => ok({ [one]: { usd: '1' }, [two.toUpperCase()]: { usd: '2' } }, costs(120)))
    expect(await client.prices.batch({ addresses: [one, two] })).toMatchObject({
      [one]: { usd: '1' },
      [two]: { usd: '2' },
    })
  })

  test('returns null for a token without a price, whether the service sends null or leaves it out', async () => {
    const tokens = addresses(3)
    const { client } = setup(() =>
      ok({ [tokens[0]!.toLowerCase()]: { usd: '1' }, [tokens[1]!.toLowerCase()]: null }, costs(130)),
    )
    const prices = await client.prices.batch({ addresses: tokens })
    expect(Object.values(prices)).toEqual([{ address: tokens[0], usd: '1' }, null, null])
  })

  test.each([1, 2, 4, 9])('sends at most batchConcurrency chunks at a time: %i', async (batchConcurrency) => {
    const { client, clock, script } = setup(undefined, { batchConcurrency })
    const outcome = watch(client.prices.batch({ addresses: addresses(500) }))
    await clock.advance(0)
    expect(script.open).toHaveLength(batchConcurrency)
    while (script.open.length > 0) {
      const [exchange] = script.open
      exchange?.answer(serve()(exchange) as Response)
      await clock.advance(0)
    }
    expect(script.peak).toBe(batchConcurrency)
    expect(outcome.state).toBe('resolved')
  })

  test('retries only the chunk that failed', async () => {
    const { client, clock, script } = setup((exchange) =>
      exchange.number === 2 ? refusal(500, 'x') : serve()(exchange),
    )
    const outcome = watch(client.prices.batch({ addresses: addresses(150) }).withMeta())
    await clock.advance(10_000)
    expect(outcome.value?.meta).toMatchObject({ requests: 3, attempts: 4 })
    expect(script.requests).toHaveLength(4)
  })
})
