import { createClient, NotFoundError } from 'etn-market'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type FakeService, type FakeServiceOptions, fakeOperations, RecordError, record } from '../../src/fake/index.ts'
import { BOLT, CORE, makeFake, NOBODY, NOON } from './setup.ts'

function clientOf(fake: FakeService) {
  const client = createClient({ apiKey: fake.key, baseUrl: fake.baseUrl, fetch: fake.fetch, retry: false })
  onTestFinished(() => client.close())
  return client
}

/** The real service of the tests. */
const real = () => makeFake({ seed: 'real', keys: { esk_live_secret: 1_000_000 } })

describe('record', () => {
  it('records one call of every operation with the smallest page, without keys, as JSON', async () => {
    const service = real()
    const tape = await record({ client: clientOf(service), budget: { credits: 12_000 } })
    expect(new Set(tape.entries.map(({ operation }) => operation))).toEqual(new Set(fakeOperations))
    const text = JSON.stringify(tape)
    expect(JSON.parse(text)).toEqual(tape)
    expect(text).not.toContain('esk_live_secret')
    expect(service.charged()).toBeLessThan(12_000)
  })

  it('sends no call that could exceed the budget, and keeps what it has', async () => {
    const service = real()
    const client = clientOf(service)
    const run = async (own: typeof client) => {
      await own.etn.price()
      await own.token.list({ limit: 100 })
      await own.etn.price()
    }
    const error = await record({ client, budget: { credits: 600 }, run }).catch((caught: unknown) => caught)
    if (!(error instanceof RecordError)) throw error
    expect(error.message).toContain('record: token.list may cost 600, and 575 of 600 credits are left.')
    service.expectCredits(25)
    // What was paid for can be played.
    const tape = JSON.parse(JSON.stringify(error.tape))
    const { fetch, key } = makeFake({ tape })
    const again = createClient({ apiKey: key, fetch })
    expect(await again.etn.price()).toEqual(await client.etn.price())
    await again.close()
  })

  it('repeats a call that failed for a moment, and counts an attempt whose answer is lost', async () => {
    const service = real()
    service.script('etn.price', [{ status: 429, retryAfter: 30 }, { status: 500 }, 'ok', { reset: 'after' }, 'ok'])
    const client = createClient({ apiKey: service.key, fetch: service.fetch, clock: service.clock })
    onTestFinished(() => client.close())
    const run = async (own: typeof client) => {
      await own.etn.price()
      await own.etn.price()
      await own.etn.price()
    }
    const rejected = expect(record({ client, budget: { credits: 85 }, run })).rejects.toThrow(
      'record: etn.price may cost 25, and 10 of 85 credits are left.',
    )
    await expect.poll(() => service.journal().length).toBe(1)
    await service.advance(60_000)
    await rejected
    service.expectCredits(75)
    const times = service.journal().map(({ at }) => at - (service.journal()[0]?.at ?? 0))
    expect(times[1]).toBeGreaterThanOrEqual(30_000)
  })

  it('keeps every key out of the tape, wherever an answer echoes it', async () => {
    const key = 'token-"quoted"-42-of-mine'
    const service = makeFake({ keys: { [key]: 1_000 } })
    service.fault({ status: 404, message: `Nothing for ${key}.` })
    service.fault({
      operation: 'nft.stats',
      transform: (body) => ({ ...Object(body), data: { ...Object(body).data, [key]: [key, 'esk_live_other'] } }),
    })
    const run = async (own: ReturnType<typeof clientOf>) => {
      await own.etn.price().catch(() => {})
      await own.nft.stats()
    }
    const { entries } = await record({ client: clientOf(service), budget: { credits: 100 }, run })
    expect(entries).toMatchObject([
      { error: { message: 'Nothing for [redacted].' } },
      { data: { '[redacted]': ['[redacted]', 'esk_***'] } },
    ])
  })

  it('records what came over the wire: every request of a batch, and the cursor of trades', async () => {
    const service = real()
    const client = clientOf(service)
    const many = Array.from({ length: 51 }, (_, i) => `0x${i.toString(16).padStart(40, '0')}`)
    const run = async (own: typeof client) => {
      await own.prices.batch({ addresses: [BOLT, NOBODY] })
      await own.prices.batch({ addresses: many })
      await own.trade.list({ limit: 2 })
      await own.token.get({ address: NOBODY }).catch(() => {})
    }
    const tape = await record({ client, budget: { credits: 2_000 }, run })
    const ask = (fake: FakeService, path: string) =>
      fake.fetch(fake.baseUrl + path, { headers: { authorization: `Bearer ${fake.key}` } })
    const paths = service.journal().map(({ url }) => url.slice(service.baseUrl.length))
    const player = makeFake({ tape, clock: { now: () => NOON + 3_600_000 } })
    expect(paths).toHaveLength(5)
    for (const path of paths) {
      const [sent, played] = [await ask(service, path), await ask(player, path)]
      expect([played.status, await played.text()]).toEqual([sent.status, await sent.text()])
    }
    const { data, params } = tape.entries[0] ?? {}
    expect(Object.keys(data ?? {})).toEqual([BOLT.toLowerCase()])
    expect(params).toEqual({ addresses: [BOLT.toLowerCase(), NOBODY] })
    const strict = createClient({ apiKey: player.key, fetch: player.fetch, validate: 'strict' })
    expect(await strict.prices.batch({ addresses: [BOLT, NOBODY] })).toMatchObject({ [NOBODY]: null })
    await strict.close()
  })

  it('records a list of calls too: it is taped, and each attempt has to fit the budget and `maxCredits`', async () => {
    const service = real()
    const client = clientOf(service)
    service.script('token.price', ['ok', { status: 500 }, 'ok'])
    const store = new Map<string, unknown>()
    const addresses = [BOLT, CORE, NOBODY]
    const results: unknown[] = []
    const run = async (own: typeof client) => {
      const list = addresses.map((address) => ({ address }))
      for await (const one of own.token.price.many(list, { store, concurrency: 1 })) results.push(one)
    }
    const tape = await record({ client, budget: { credits: 1_000 }, run })
    expect(tape.entries.map(({ operation, params, error }) => [operation, params.address, error?.status])).toEqual([
      ['token.price', BOLT, undefined],
      ['token.price', CORE, undefined],
      ['token.price', NOBODY, 404],
    ])
    expect(results).toMatchObject([{ params: { address: BOLT } }, { stored: false }, { error: { status: 404 } }])
    service.expectCredits({ 'token.price': 100 })
    const player = makeFake({ tape })
    expect(await clientOf(player).token.price({ address: BOLT })).toEqual(tape.entries[0]?.data)

    // Kept answers are not bought again, so they are not recorded again.
    expect((await record({ client, budget: { credits: 50 }, run })).entries).toHaveLength(1)
    store.clear()
    await expect(record({ client, budget: { credits: 75 }, run })).rejects.toThrow(
      'record: token.price may cost 50, and 25 of 75 credits are left.',
    )
    const limited = async (own: typeof client) => {
      for await (const _ of own.nft.stats.many([{}], { maxCredits: 24 }));
    }
    expect((await record({ client, budget: { credits: 75 }, run: limited })).entries).toEqual([])
    service.expectCredits({ 'token.price': 150 })
  })

  it('refuses what is called after its end', async () => {
    const service = real()
    const client = clientOf(service)
    let late = client
    const run = async (own: typeof client) => {
      late = own
      await own.etn.price()
    }
    await record({ client, budget: { credits: 1_000 }, run })
    await expect(late.etn.price()).rejects.toThrow('record: etn.price was made after the recording had ended.')
    await client.etn.price()
    service.expectCredits(50)
  })

  it('records nothing that has no operation', async () => {
    const service = real()
    const client = clientOf(service)
    const run = (own: typeof client) => own.request('/prices/etn', { maxCredits: 25 })
    await expect(record({ client, budget: { credits: 100 }, run })).rejects.toThrow('record: client.request has no')
    service.expectRequests(0)
  })

  it('rejects unknown options and a budget that is no number', async () => {
    const client = clientOf(real())
    await expect(record({ client, budget: { credits: -1 } })).rejects.toThrow('budget.credits is a whole number')
    await expect(record({ client } as never)).rejects.toThrow('budget takes an object')
    await expect(record({ client, budget: { credits: 1 }, file: 'x' } as never)).rejects.toThrow(
      'record knows no option "file"',
    )
  })
})

const tapeOf = (entry: unknown) => ({ format: 'etn-market-tape', version: 1, entries: [entry] })

describe('a tape', () => {
  async function replay(options: Pick<FakeServiceOptions, 'onMissing'> = {}) {
    const service = real()
    const run = async (own: ReturnType<typeof clientOf>) => {
      await own.etn.price()
      service.advance(86_400_000)
      await own.etn.price().withMeta()
      await own.token.list({ limit: 3 })
      await own.prices.batch({ addresses: [BOLT, CORE, NOBODY] })
      await own.token.get({ address: NOBODY }).catch(() => {})
    }
    const tape = await record({ client: clientOf(service), budget: { credits: 5_000 }, run })
    const fake = makeFake({ tape: JSON.parse(JSON.stringify(tape)), keys: { k: 10_000 }, ...options })
    return { tape, fake, client: clientOf(fake) }
  }

  it('plays the recorded answers in order, checked and charged, and errors as errors', async () => {
    const { tape, fake, client } = await replay()
    const recorded = tape.entries.filter(({ operation }) => operation === 'etn.price').map(({ data }) => data)
    expect(recorded[0]).not.toEqual(recorded[1])
    expect([await client.etn.price(), await client.etn.price(), await client.etn.price()]).toEqual([
      ...recorded,
      recorded[1],
    ])
    expect(await client.token.list({ limit: 3 })).toHaveLength(3)
    await expect(client.token.get({ address: NOBODY })).rejects.toThrow(NotFoundError)
    expect(Object.keys(await client.prices.batch({ addresses: [CORE, NOBODY] }))).toEqual([CORE, NOBODY])
    fake.expectCredits({ 'etn.price': 75, 'token.list': 115, 'prices.batch': 120 })
    fake.reset()
    expect(await client.etn.price()).toEqual(recorded[0])
    const snapshot = fake.snapshot()
    for (let round = 0; round < 2; round++) {
      expect(await client.etn.price()).toEqual(recorded[1])
      fake.reset()
      fake.restore(snapshot)
    }
  })

  it('what it lacks is 501 no_recording, or comes from the data of the seed', async () => {
    const strict = await replay()
    await expect(strict.client.nft.stats()).rejects.toMatchObject({ status: 501, code: 'no_recording' })
    await expect(strict.client.token.list({ limit: 4 })).rejects.toThrow('The tape has no answer of token.list')
    strict.fake.expectCredits(0)
    const { client } = await replay({ onMissing: 'world' })
    expect(await client.nft.stats()).toHaveProperty('collections')
  })

  it.each<[unknown, string]>([
    [{}, 'tape is an object that record() made'],
    [{ format: 'etn-market-tape', version: 2, entries: [] }, 'of version 1'],
    [tapeOf({ operation: 'x', params: {} }), 'tape.entries[0].operation is one of etn.price'],
    [tapeOf(null), 'tape.entries[0] is an object, not null'],
    [tapeOf({ operation: 'etn.price', params: null, data: {} }), 'tape.entries[0].params is an object, not null'],
    [tapeOf({ operation: 'etn.price', params: {} }), 'tape.entries[0] has either data or an error'],
    [tapeOf({ operation: 'etn.price', params: {}, error: { status: 200 } }), 'tape.entries[0].error.code is missing'],
    [tapeOf({ operation: 'etn.price', params: {}, error: { status: 404 } }), 'tape.entries[0].error.code is missing'],
  ])('%j is rejected', (tape, message) => {
    expect(() => makeFake({ tape } as never)).toThrow(message)
  })
})
