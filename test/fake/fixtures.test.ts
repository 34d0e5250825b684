import { Server } from 'node:net'
import { createClient, InvalidRequestError } from 'etn-market'
import { createFakeService, useFakeService } from 'etn-market/fake'
import { createPriceFeed } from 'etn-market/feed'
import { createNodeTransport } from 'etn-market/node'
import { test as fixtureTest } from 'etn-market/vitest'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { BOLT } from './setup.ts'

const before = { url: process.env.ETN_MARKET_BASE_URL, key: process.env.ETN_MARKET_API_KEY }

describe('etn-market/vitest', () => {
  const urls = new Set<string | undefined>()

  for (const round of [1, 2]) {
    fixtureTest(
      `gives test ${round} a fake of its own, a client, and an environment that leads to it`,
      async ({ fake, client }) => {
        urls.add(process.env.ETN_MARKET_BASE_URL)
        fake.expectRequests(0)
        await client.etn.price()
        const other = createClient()
        await other.etn.price()
        await other.close()
        fake.expectCredits({ 'etn.price': 50 })
      },
    )
  }

  fixtureTest('lets a feed of the client live there, too', async ({ fake, client }) => {
    const feed = createPriceFeed(client)
    const prices: number[] = []
    feed.watch(BOLT, { everyMs: 600_000, onPrice: ({ at }) => void prices.push(at) })
    await fake.advance(3_600_000)
    expect(prices.length).toBeGreaterThanOrEqual(6)
    await feed.close()
  })

  fixtureTest('lets the client live on the clock of the fake', async ({ fake, client }) => {
    fake.script('etn.price', [{ status: 500 }, 'ok'])
    const price = client.etn.price()
    await expect.poll(() => fake.journal().length).toBe(1)
    await fake.advance(60_000)
    expect(await price).toHaveProperty('usd')
  })

  describe('a test that names no fixture', () => {
    const older = createClient({ apiKey: 'own', baseUrl: 'http://127.0.0.1:9/v1' })
    afterAll(() => older.close())

    fixtureTest('has a fake too, which the environment leads to', async () => {
      const client = createClient()
      expect(await client.account.me()).toMatchObject({ credits: 1_000_000_000 })
      await client.close()
    })

    fixtureTest('cannot reach the service, whatever its client is made of', async () => {
      const own = { apiKey: 'own', baseUrl: 'http://127.0.0.1:9/v1' }
      const clients = [
        older,
        createClient(own),
        createClient({ ...own, transport: createNodeTransport() }),
        createClient({ ...own, fetch: (...given: Parameters<typeof fetch>) => fetch(...given) }),
      ]
      for (const client of clients) {
        const failed = await client.etn.price({}, { retry: false }).catch((error: unknown) => error)
        expect(failed).toBeInstanceOf(InvalidRequestError)
        expect(failed).toMatchObject({ code: 'not_the_fake', charge: 'none', attempts: 0 })
        if (client !== older) await client.close()
      }
    })

    fixtureTest('reaches other fakes of the test, over HTTP and without', async ({ fake }) => {
      const other = createFakeService()
      const { url } = await other.listen()
      for (const way of [{ baseUrl: url }, { baseUrl: other.baseUrl, fetch: other.fetch }]) {
        const client = createClient({ apiKey: other.key, ...way })
        await client.etn.price()
        await client.close()
      }
      await other.close()
      other.expectCredits(50)
      fake.expectRequests(0)
    })
  })

  describe.concurrent('in concurrent tests', () => {
    let started = 0
    let startBoth = () => {}
    const bothStarted = new Promise<void>((resolve) => {
      startBoth = resolve
    })
    for (const usd of ['1', '2']) {
      fixtureTest(`the client of each reaches its own fake: ${usd}`, async ({ fake, client }) => {
        if (++started === 2) startBoth()
        await bothStarted
        fake.world.setPrice(BOLT, usd)
        expect(await client.token.price({ address: BOLT })).toMatchObject({ usd })
        const own = createClient({ apiKey: 'own' })
        await expect(own.etn.price()).rejects.toThrow(/is not the fake of this test: use the `client` fixture/)
        await own.close()
      })
    }
  })

  describe('with options for the fake', () => {
    fixtureTest.override({ fakeOptions: { keys: { mine: 25 } } })
    fixtureTest('passes them on', async ({ fake, client }) => {
      await client.etn.price()
      expect([fake.key, process.env.ETN_MARKET_API_KEY, fake.remaining()]).toEqual(['mine', 'mine', 0])
    })
  })

  describe('in a page', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    beforeAll(() => {
      vi.stubGlobal('window', {})
      vi.stubGlobal('document', {})
    })
    afterAll(() => {
      vi.unstubAllGlobals()
      warn.mockRestore()
    })
    fixtureTest('warns of no key: that of a fake is no secret', async ({ client }) => {
      expect(client.credits.charged).toBe(0)
      expect(warn).not.toHaveBeenCalled()
      await createClient({ apiKey: 'own', fetch: (...given: Parameters<typeof fetch>) => fetch(...given) }).close()
      expect(warn).toHaveBeenCalledOnce()
    })
  })

  afterAll(() => {
    expect(urls.size).toBe(2)
    expect([process.env.ETN_MARKET_BASE_URL, process.env.ETN_MARKET_API_KEY]).toEqual([before.url, before.key])
  })
})

describe('useFakeService', () => {
  it('restores the environment after the test, closes the fake, and reports unused faults', async () => {
    const cleanUps: (() => Promise<void>)[] = []
    const context = { after: (cleanUp: () => Promise<void>) => void cleanUps.push(cleanUp) }
    const fake = await useFakeService(context, { keys: { mine: 100 } })
    expect(process.env.ETN_MARKET_API_KEY).toBe('mine')
    fake.fault({ status: 500 })
    await expect(cleanUps[0]?.()).rejects.toThrow('1 fault was never used up')
    expect([process.env.ETN_MARKET_BASE_URL, process.env.ETN_MARKET_API_KEY]).toEqual([before.url, before.key])
    await expect(fake.fetch(`${fake.baseUrl}/openapi.json`)).rejects.toThrow('fetch failed')
  })

  it('refuses a second fake while another leads the environment, and says what to use', async () => {
    const cleanUps: (() => Promise<void>)[] = []
    const context = { after: (cleanUp: () => Promise<void>) => void cleanUps.push(cleanUp) }
    const started = await Promise.allSettled([useFakeService(context), useFakeService(context)])
    expect(started.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect(started[1]).toMatchObject({ reason: { message: expect.stringContaining('use the `client` fixture') } })
    for (const cleanUp of cleanUps) await cleanUp()
    expect(process.env.ETN_MARKET_FAKE_ORIGINS).toBeUndefined()
  })

  it('names what another runner has, where the `after` of the test before did not run', async () => {
    const cleanUps: (() => Promise<void>)[] = []
    await useFakeService({ after: (cleanUp) => void cleanUps.push(cleanUp) })
    vi.stubEnv('VITEST', undefined)
    const context = { after() {} }
    await expect(useFakeService(context)).rejects.toThrow(/^(?!.*fixture).*its `after` did not run.*afterEach of Jest/)
    const client = createClient({ apiKey: 'own', baseUrl: 'http://127.0.0.1:9/v1' })
    const message = await client.etn.price().catch((error: Error) => error.message)
    expect(message).toMatch(/pass fake\.fetch.*add http:\/\/127\.0\.0\.1:9 to process\.env\.ETN_MARKET_FAKE_ORIGINS/)
    expect(message).not.toContain('fixture')
    vi.unstubAllEnvs()
    for (const cleanUp of cleanUps) await cleanUp()
  })

  it('listens nowhere in a page, and leaves the environment alone, as in concurrent tests', async () => {
    const cleanUps: (() => Promise<void>)[] = []
    const context = { after: (cleanUp: () => Promise<void>) => void cleanUps.push(cleanUp) }
    const listen = vi.spyOn(Server.prototype, 'listen')
    vi.stubGlobal('process', { env: process.env })
    const fake = await useFakeService(context)
    vi.unstubAllGlobals()
    expect(process.env.ETN_MARKET_API_KEY).toBe(before.key)
    const client = createClient({ apiKey: fake.key, fetch: fake.fetch })
    await client.etn.price()
    fake.expectCredits(25)
    for (const cleanUp of cleanUps) await cleanUp()
    expect(listen).not.toHaveBeenCalled()
    listen.mockRestore()
    expect(process.env.ETN_MARKET_FAKE_ORIGINS).toBeUndefined()
  })

  it.each<[string, unknown, object | undefined, string]>([
    [
      'afterAll',
      { after: afterAll },
      undefined,
      't.after is a hook of the suite: it does not run when this test ends.',
    ],
    ['afterEach', { after: afterEach }, undefined, 'an afterEach of Jest or mocha that calls the functions'],
    ['no context', undefined, undefined, 't is the context of a test, with a function `after`, not undefined.'],
    ['a context without after', {}, undefined, 't is the context of a test'],
    ['a misspelt option', { after() {} }, { kyes: {} }, 'createFakeService knows no option "kyes"'],
    ['a wrong option', { after() {} }, { keys: { ' k': 1 } }, 'A key is text without surrounding space.'],
    [
      'a context that is over',
      {
        after() {
          throw new Error('The test is over.')
        },
      },
      undefined,
      'The test is over.',
    ],
  ])('leaves nothing behind when it fails: %s', async (_, context, options, message) => {
    const servers = vi.spyOn(Server.prototype, 'listen')
    await expect(useFakeService(context as never, options as never)).rejects.toThrow(message)
    for (const server of servers.mock.contexts) expect((server as Server).listening).toBe(false)
    servers.mockRestore()
    expect(process.env.ETN_MARKET_FAKE_ORIGINS).toBeUndefined()
    expect([process.env.ETN_MARKET_BASE_URL, process.env.ETN_MARKET_API_KEY]).toEqual([before.url, before.key])
    const cleanUps: (() => Promise<void>)[] = []
    const fake = await useFakeService({ after: (cleanUp) => void cleanUps.push(cleanUp) })
    expect(process.env.ETN_MARKET_API_KEY).toBe(fake.key)
    for (const cleanUp of cleanUps) await cleanUp()
  })
})
