import { ConnectionError, isEtnMarketError } from 'etn-market'
import { createPriceFeed } from 'etn-market/feed'
import { expect, test } from 'vitest'
import { ok, price } from '../support/answers.ts'
import { address, setup, watch } from '../support/setup.ts'

/** As undici rejects when a forward proxy answers `CONNECT` with a status. */
function refusedTunnel(status: number): TypeError {
  const message = `Proxy response (${status}) !== 200 when HTTP Tunneling`
  const cause = Object.assign(new Error(message), { code: 'UND_ERR_ABORTED' })
  return new TypeError('fetch failed', { cause: new DOMException('Request was cancelled.', { cause } as never) })
}

test.each([
  [407, 1],
  [403, 1],
  [429, 3],
  [500, 3],
])('a forward proxy that refuses the tunnel with %i: nothing was charged, %i attempts', async (status, attempts) => {
  const { client, clock, events } = setup(() => refusedTunnel(status), { budget: { credits: 1_000 } })
  const outcome = watch(client.token.price({ address: address(1) }))
  await clock.advance(30_000)
  expect(outcome.error).toBeInstanceOf(ConnectionError)
  const retryable = attempts > 1
  expect(outcome.error).toMatchObject({
    code: 'proxy_refused',
    status,
    attempts,
    charge: 'none',
    credits: 0,
    retryable,
  })
  expect(client.budget).toMatchObject({ available: 1_000, reserved: 0, uncertain: 0 })
  expect(events.map(({ type }) => type)).not.toContain('cooldown.started')
})

test('what a proxy refuses for good says nothing about the key: a list of calls goes on', async () => {
  const { client, clock } = setup(({ number }) => (number === 1 ? refusedTunnel(403) : ok(price(address(2)))))
  const list = client.token.price.many([{ address: address(1) }, { address: address(2) }])
  const results: unknown[] = []
  const ended = watch(
    (async () => {
      for await (const { error } of list) results.push(isEtnMarketError(error) ? error.code : error)
    })(),
  )
  await clock.advance(30_000)
  expect(ended.state).toBe('resolved')
  expect(results.sort()).toEqual(['proxy_refused', undefined])
})

test('nor about the addresses of a feed, which does not ask for each of them alone', async () => {
  const { client, clock, script } = setup(() => refusedTunnel(404))
  clock.randomValue = 0.99
  const feed = createPriceFeed(client, { clock, budget: false })
  feed.watch([address(1), address(2), address(3)], { everyMs: 60_000, onPrice: () => {}, onError: () => {} })
  await clock.advance(120_000)
  const asked = new Set(script.requests.map(({ url }) => url.searchParams.get('addresses')?.split(',').length))
  expect([...asked]).toEqual([3])
  await feed.close()
})

test('a feed whose tunnels are refused for good stops, and looks once a minute whether they are still', async () => {
  const { client, clock, script } = setup(() => refusedTunnel(407))
  const feed = createPriceFeed(client, { clock, budget: false })
  feed.watch(address(1), { everyMs: 10_000, onPrice: () => {}, onError: () => {} })
  await clock.advance(5 * 60_000)
  expect(feed.status()).toMatchObject({ state: 'stopped', reason: 'proxy_refused' })
  expect(script.requests.length).toBeLessThanOrEqual(6)
  await expect(feed.price(address(3))).rejects.toMatchObject({ code: 'proxy_refused' })
  await feed.close()
})
