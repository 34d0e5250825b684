import { createClient } from 'etn-market'
import { createPriceFeed, type FeedPrice } from 'etn-market/feed'
import { type PriceSource, usePrice, usePrices } from 'etn-market/react'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
// The feed loads it lazily; loaded here so that it takes no real time.
import '../../src/feed/stream/page-stream.ts'
import { BASE, TOKENS } from '../proxy/setup.ts'
import { MINUTE, SECOND, setupPages } from '../stream/setup.ts'
import { acting, type Mounted, mount } from '../support/mount.ts'
import { onCaseFinished, testProperty } from '../support/property.ts'

const [ONE = '', TWO = ''] = TOKENS
const HOUR = 60 * MINUTE
const PACE = 10 * SECOND
/** What a price may be older than its interval, or the pace, before it is stale. */
const ARRIVING = 2 * SECOND
/** How long a page may take to notice that its machine has slept. */
const LOOK = 10 * SECOND

/** A page whose streams and calls break and fail while `isDown`; with a price stream, or with a feed that takes its prices from the stream. */
function setupSource(kind: 'stream' | 'feed', streamed: readonly string[] = TOKENS) {
  const allow = (['token.price', 'prices.batch'] as const).map((operation) => ({ operation, cacheMs: 0 }))
  const made = setupPages({ allow }, undefined, { addresses: streamed, maxAddresses: 400 })
  const { clock, proxy } = made
  const breaking = new Set<() => void>()
  const state = {
    isDown: false,
    opened: 0,
    fail() {
      state.isDown = true
      for (const breakOne of breaking) breakOne()
      breaking.clear()
    },
  }
  const fetch = async (url: string | URL, init: { headers?: HeadersInit; signal?: AbortSignal | null }) => {
    if (state.isDown) throw new TypeError('fetch failed')
    const leaving = new AbortController()
    const signal = AbortSignal.any([leaving.signal, ...(init.signal ? [init.signal] : [])])
    const response = await proxy(new Request(url, { headers: init.headers, signal } as RequestInit))
    if (!new URL(url).pathname.endsWith('/stream')) return response
    state.opened++
    breaking.add(() => leaving.abort())
    return response
  }
  if (kind === 'stream') return { ...made, state, source: made.openPage({ fetch }).stream as PriceSource }
  const client = createClient({ baseUrl: BASE, clock, fetch, retry: false })
  const feed = createPriceFeed(client, { clock, stream: true })
  onCaseFinished(async () => {
    await client.close()
    await feed.close()
  })
  return { ...made, state, source: feed as PriceSource }
}

const last = <Shown>({ shown }: Mounted<Shown>) => shown.at(-1)

describe.each(['stream', 'feed'] as const)('a mounted component with a %s', (kind) => {
  test.each([true, false])(
    'shows after a sleep that its price is old, and a fresh one when the stream is back (%s)',
    async (isCertain) => {
      const { clock, source } = setupSource(kind)
      const one = await mount(() => usePrice(source, ONE, { everyMs: PACE }))
      const several = await mount(() => usePrices(source, [ONE, TWO], { everyMs: PACE }))
      await acting(() => clock.advance(15 * SECOND))
      expect([last(one)?.stale, last(several)?.[TWO]?.stale]).toEqual([false, false])
      const before = [one.shown.length, several.shown.length] as const
      clock.suspend(8 * HOUR, isCertain)
      await acting(() => clock.advance(LOOK + SECOND))
      const seen = [...one.shown.slice(before[0]), ...several.shown.slice(before[1]).map((prices) => prices[ONE])]
      for (const price of seen) expect(price?.stale || clock.now() - (price?.at ?? 0) < MINUTE).toBe(true)
      await acting(() => clock.advance(LOOK))
      for (const price of [last(one), last(several)?.[ONE], last(several)?.[TWO]]) {
        expect(price?.stale).toBe(false)
        expect(clock.now() - (price?.at ?? 0)).toBeLessThanOrEqual(PACE + ARRIVING)
      }
      await one.unmount()
      await several.unmount()
    },
  )

  test('a price becomes stale by the interval of its own component', async () => {
    const { clock, source, state } = setupSource(kind)
    const fast = await mount(() => usePrice(source, ONE, { everyMs: PACE }))
    await acting(() => clock.advance(15 * SECOND))
    state.fail()
    await acting(() => clock.advance(MINUTE))
    const slow = await mount(() => usePrice(source, ONE, { everyMs: HOUR }))
    await acting(() => clock.advance(SECOND))
    expect([last(slow)?.stale, last(fast)?.stale]).toEqual([false, true])
    await fast.unmount()
    await acting(() => clock.advance(2 * SECOND))
    expect(last(slow)?.stale).toBe(false)
    await acting(() => clock.advance(HOUR))
    expect(last(slow)?.stale).toBe(true)
    await slow.unmount()
  })

  test('shows each of many prices as stale, a few milliseconds apart in age, when nothing more arrives', async () => {
    const { clock, source, state } = setupSource(kind)
    const addresses = TOKENS.slice(0, 54)
    const rows: Mounted<Readonly<Record<string, FeedPrice | undefined>>>[] = []
    for (let i = 0; i < addresses.length; i += 6) {
      rows.push(await mount(() => usePrices(source, addresses.slice(i, i + 6), { everyMs: PACE })))
      await acting(() => clock.advance(20))
    }
    await acting(() => clock.advance(25 * SECOND))
    state.fail()
    await acting(() => clock.advance(MINUTE))
    const stale = rows.flatMap((row) => Object.values(last(row) ?? {})).map((price) => price?.stale)
    expect(stale).toEqual(addresses.map(() => true))
    for (const row of rows) await row.unmount()
  })
})

interface Row extends Mounted<Readonly<Record<string, FeedPrice | undefined>>> {
  readonly addresses: readonly string[]
  readonly everyMs: number
  readonly errors: { readonly code: string; readonly address: string | undefined }[]
}

testProperty(
  'a page shows no price as fresher than it is, and names each missing one with its reason, once',
  () => {
    const step = fc.oneof(
      fc.record({
        mount: fc.uniqueArray(fc.nat(5), { minLength: 1, maxLength: 4 }),
        everyMs: fc.constantFrom(PACE, 40 * SECOND, HOUR),
      }),
      fc.record({ unmount: fc.nat(5) }),
      fc.record({ waitMs: fc.oneof(fc.nat(3 * SECOND), fc.nat(MINUTE)) }),
      fc.record({ fail: fc.boolean() }),
      fc.record({ sleepMs: fc.integer({ min: MINUTE, max: 8 * HOUR }), isCertain: fc.boolean() }),
    )
    // The last one is not streamed.
    const addresses = TOKENS.slice(0, 6)
    const [foreign = ''] = addresses.slice(-1)
    return fc.asyncProperty(
      fc.constantFrom('stream', 'feed'),
      fc.array(step, { minLength: 5, maxLength: 14 }),
      fc.double({ min: 0, max: 0.99, noNaN: true }),
      async (kind, steps, chance) => {
        const { clock, source, state, openPage: _, ...made } = setupSource(kind, addresses.slice(0, -1))
        clock.randomValue = chance
        // A stream in which nothing is served is refused as a whole.
        const served = await mount(() => usePrice(source, ONE, { everyMs: HOUR }))
        const rows: Row[] = []
        const check = () => {
          for (const { shown, everyMs } of rows)
            for (const price of Object.values(shown.at(-1) ?? {})) {
              if (price === undefined) continue
              const ageMs = clock.now() - price.at
              if (ageMs > Math.max(everyMs, PACE) + ARRIVING + LOOK) expect(price.stale, `${ageMs} ms`).toBe(true)
              if (ageMs < everyMs) expect(price.stale, `${ageMs} ms`).toBe(false)
            }
        }
        for (const each of steps) {
          if ('mount' in each) {
            const own = each.mount.map((index) => addresses[index] ?? '')
            const errors: Row['errors'] = []
            const onError = (error: unknown) => {
              const { code, params } = error as { code: string; params?: { address?: string } }
              errors.push({ code, address: params?.address })
            }
            const mounted = await mount(() => usePrices(source, own, { everyMs: each.everyMs, onError }))
            rows.push({ ...mounted, addresses: own, everyMs: each.everyMs, errors })
          } else if ('unmount' in each) await rows.splice(each.unmount, 1)[0]?.unmount()
          else if ('fail' in each) {
            if (each.fail) state.fail()
            else state.isDown = false
          } else if ('sleepMs' in each) {
            clock.suspend(each.sleepMs, each.isCertain)
            await acting(() => clock.advance(LOOK + 1))
          } else await acting(() => clock.advance(each.waitMs))
          check()
        }
        state.isDown = false
        await acting(() => clock.advance(3 * MINUTE))
        check()
        for (const row of rows) {
          for (const address of row.addresses) {
            const price = last(row)?.[address]
            // What a feed buys and may have been charged for waits for its interval.
            if (address !== foreign) expect(price?.stale).toBe(false)
            else if (kind === 'stream') expect(price).toBeUndefined()
          }
          if (kind === 'feed') continue
          const named = row.errors.filter(({ code }) => code === 'not_allowed')
          expect(named).toEqual(row.addresses.includes(foreign) ? [{ code: 'not_allowed', address: foreign }] : [])
          // The same reason is reported again only after a price has arrived.
          const reasons = row.errors.filter(({ code }) => code !== 'not_allowed').length
          expect(reasons).toBeLessThanOrEqual(steps.filter((each) => 'fail' in each || 'sleepMs' in each).length)
        }
        const told = rows.map(({ errors }) => errors.length)
        state.fail()
        await acting(() => clock.advance(2 * MINUTE))
        check()
        for (const [index, row] of rows.entries())
          if (kind === 'stream' && row.addresses.some((address) => address !== foreign))
            expect(row.errors.slice(told[index])).toMatchObject([{ code: 'connection_failed' }])
        for (const row of [served, ...rows]) await row.unmount()
        await acting(() => clock.advance(2 * SECOND))
        expect(made.proxy.status().streams).toBe(0)
      },
    )
  },
  { cases: 8 },
)
