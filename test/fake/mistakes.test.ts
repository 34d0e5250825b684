import { createClient } from 'etn-market'
import { createFakeService, FakeUsageError, record, useFakeService } from 'etn-market/fake'
import { mswHandlers } from 'etn-market/msw'
import { afterAll, describe, expect, it } from 'vitest'
import { BOLT } from './setup.ts'

/** Values that are not what a function takes. */
const WRONG: unknown[] = [undefined, null, 0, -1, 'nonsense', '', true, [], [null], {}, { nonsense: 1 }, () => {}]
const asNever = (value: unknown) => value as never

/** What a wrong argument does: nothing, or an error that says what is wrong. */
async function outcomeOf(run: () => unknown): Promise<string> {
  try {
    await run()
    return 'done'
  } catch (error) {
    return error instanceof FakeUsageError ? `${error.name} ${error.code}` : String(error)
  }
}

describe('a mistake', () => {
  const OPTIONS = [
    ...['seed', 'world', 'tape', 'onMissing', 'keys', 'clock', 'baseUrl', 'latencyMs', 'heavyLatencyMs'],
    ...['heavyConcurrency', 'rateLimit', 'cors', 'journal', 'maxSnapshots', 'log'],
  ]
  const fake = createFakeService()
  afterAll(() => Promise.all([client.close(), fake.close()]))
  const client = createClient({ apiKey: fake.key, fetch: fake.fetch })
  const budget = { credits: 1_000 }

  it.each<[string, (wrong: unknown) => unknown]>([
    ['createFakeService()', (wrong) => createFakeService(asNever(wrong))],
    ...OPTIONS.map((name): [string, (wrong: unknown) => unknown] => [
      `createFakeService({ ${name} })`,
      (wrong) => createFakeService({ [name]: wrong } as never),
    ]),
    ['useFakeService()', (wrong) => useFakeService(asNever(wrong))],
    [
      'useFakeService(t, …)',
      async (wrong) => {
        const after: (() => Promise<void>)[] = []
        await useFakeService({ after: (one) => void after.push(one) }, asNever(wrong))
        for (const one of after) await one()
      },
    ],
    ['record()', (wrong) => record(asNever(wrong))],
    ['record({ client })', (wrong) => record({ client: wrong, budget } as never)],
    ['record({ budget })', (wrong) => record({ client, budget: wrong, run() {} } as never)],
    [
      'record({ to })',
      (wrong) => (typeof wrong === 'string' ? undefined : record({ client, budget, to: wrong, run() {} } as never)),
    ],
    ['record({ run })', (wrong) => (wrong === undefined ? undefined : record({ client, budget, run: wrong } as never))],
    ['mswHandlers()', (wrong) => mswHandlers(asNever(wrong))],
    ['mswHandlers(fake, …)', (wrong) => mswHandlers(fake, asNever(wrong))],
    ['mswHandlers(fake, { baseUrl })', (wrong) => mswHandlers(fake, { baseUrl: asNever(wrong) })],
    ['listen', async (wrong) => (await fake.listen(asNever(wrong))).close()],
    ['listen({ port })', async (wrong) => (await fake.listen({ port: asNever(wrong) })).close()],
    ['ledger', (wrong) => fake.ledger(asNever(wrong))],
    ['charged', (wrong) => fake.charged(asNever(wrong))],
    ['journal', (wrong) => fake.journal(asNever(wrong))],
    ['peakInFlight', (wrong) => fake.peakInFlight(asNever(wrong))],
    // Another fake, whose keys no other row has: undefined is right there.
    ['addKeys({ key })', (wrong) => createFakeService().addKeys({ k: asNever(wrong) })],
    ['addKeys', (wrong) => createFakeService().addKeys(asNever(wrong))],
    ['remaining', (wrong) => fake.remaining(asNever(wrong))],
    ['setCredits', (wrong) => fake.setCredits(asNever(wrong), 1)],
    ['setCredits(key, …)', (wrong) => fake.setCredits(fake.key, asNever(wrong))],
    ['fault', (wrong) => fake.fault(asNever(wrong))],
    ['script', (wrong) => fake.script(asNever(wrong), ['ok'])],
    ['script(operation, …)', (wrong) => fake.script('etn.price', asNever(wrong))],
    ['script(operation, steps, …)', (wrong) => fake.script('etn.price', ['ok'], asNever(wrong))],
    ['stub', (wrong) => fake.stub(asNever(wrong), () => {})],
    ['stub(operation, …)', (wrong) => fake.stub('etn.price', asNever(wrong))],
    ['stub(operation, answer, …)', (wrong) => fake.stub('etn.price', () => {}, asNever(wrong))],
    ['advance', (wrong) => fake.advance(asNever(wrong))],
    ['reset', (wrong) => fake.reset(asNever(wrong))],
    ['restore', (wrong) => fake.restore(asNever(wrong))],
    ['world.setPrice', (wrong) => fake.world.setPrice(asNever(wrong), '1')],
    ['world.setPrice(token, …)', (wrong) => fake.world.setPrice(BOLT, asNever(wrong))],
    ['world.setPrice(token, usd, …)', (wrong) => fake.world.setPrice(BOLT, '1', asNever(wrong))],
    ['world.unprice', (wrong) => fake.world.unprice(asNever(wrong))],
    ['world.release', (wrong) => fake.world.release(asNever(wrong))],
    ['world.trade', (wrong) => fake.world.trade(asNever(wrong))],
    ['world.candles', (wrong) => fake.world.candles(asNever(wrong), '1h', [])],
    ['world.candles(token, …)', (wrong) => fake.world.candles(BOLT, asNever(wrong), [])],
    ['world.candles(token, bucket, …)', (wrong) => fake.world.candles(BOLT, '1h', asNever(wrong))],
  ])('in what %s takes is a FakeUsageError, which says what is allowed there', async (_, run) => {
    const seen = new Set<string>()
    for (const wrong of WRONG) seen.add(await outcomeOf(() => run(wrong)))
    expect([...seen].filter((one) => one !== 'done')).toEqual(['FakeUsageError invalid_option'])
  })

  const options = (given: unknown) => () => createFakeService(given as never)

  it.each<[string, () => unknown]>([
    [
      'createFakeService knows no option "sed". It takes: seed, world, tape, onMissing, keys, clock, ',
      options({ sed: 1 }),
    ],
    ['clock is an object with now(), in unix milliseconds, not null.', options({ clock: null })],
    ['clock is an object with now()', options({ clock: {} })],
    ['baseUrl is an absolute http or https URL, not "nonsense".', options({ baseUrl: 'nonsense' })],
    ['keys.a is a whole number of 0 or more, or an object, not -1', options({ keys: { a: -1 } })],
    ['keys.a knows no option "level". It takes: credits, tier', options({ keys: { a: { credits: 1, level: 'x' } } })],
    ['latencyMs is a number from 0', options({ latencyMs: -1 })],
    ['heavyConcurrency is a whole number', options({ heavyConcurrency: 1.5 })],
    ["cors is true, false or 'hidden'", options({ cors: 'yes' })],
    ['seed is a number or a string', options({ seed: {} })],
    ['log is a function, not "yes".', options({ log: 'yes' })],
    ['maxSnapshots is a number from 1', options({ maxSnapshots: 0 })],
    ['onMissing is one of error, world', options({ onMissing: 'ask' })],
    ['rateLimit knows no option "calls". It takes: requests, windowMs', options({ rateLimit: { calls: 1 } })],
    ['rateLimit.requests is a whole number', options({ rateLimit: { requests: -1 } })],
    ['fake is a fake that createFakeService made, not undefined.', () => mswHandlers(asNever(undefined))],
    ['baseUrl is an absolute http or https URL, not "api".', () => mswHandlers(fake, { baseUrl: 'api' })],
    ['mswHandlers knows no option "base". It takes: baseUrl.', () => mswHandlers(fake, asNever({ base: 'x' }))],
    ['peakInFlight knows no option "heavyy"', () => fake.peakInFlight(asNever({ heavyy: true }))],
    ['keep is a list, not "world".', () => fake.reset({ keep: asNever('world') })],
    ['keep[0] is one of world, faults', () => fake.reset({ keep: asNever(['keyz']) })],
    ['reset knows no option "kept"', () => fake.reset(asNever({ kept: [] }))],
    ['keys is an object', () => fake.addKeys(asNever(null))],
    ['keys is an object', () => fake.addKeys(asNever([5]))],
    ['There is no key "c". The keys are: esk_test_fake.', () => fake.remaining('c')],
    ['There is no key "c"', () => fake.setCredits('c', 1)],
    ['credits is a whole number of 0 or more, not -5.', () => fake.setCredits(fake.key, -5)],
    ['credits is a whole number', () => fake.setCredits(fake.key, 1.5)],
    ['keys.c.credits is a whole number of 0 or more', () => fake.addKeys({ c: { credits: -1 } })],
    ['A key is text', () => fake.addKeys({ ' ': 5 })],
    ['This fake was made without keys.', () => createFakeService({ keys: {} }).key],
    ['expected is a whole number of 0 or more, or an object, not -1.', () => fake.expectCredits(-1)],
    [
      'expected knows no option "token.prices". It takes: etn.price, ',
      () => fake.expectCredits(asNever({ 'token.prices': 5 })),
    ],
    ['operation is one of', () => fake.stub(asNever('token.prise'), () => ({}))],
    ['A stub is a function', () => fake.stub('token.get', asNever({}))],
    ['stub knows no option "valid"', () => fake.stub('token.get', () => ({}), asNever({ valid: false }))],
    ['advance is a number from 0 to', () => fake.advance(5e15)],
    ['advance is a number from 0', () => fake.advance(-1)],
    ...[fake.charged, fake.ledger, fake.journal, (filter: never) => fake.expectCredits(0, filter)].flatMap(
      (read): [string, () => unknown][] => [
        ['operation is one of etn.price', () => read(asNever({ operation: 'token.prise' }))],
        ['filter knows no option "operations"', () => read(asNever({ operations: 'etn.price' }))],
        ['key is a text', () => read(asNever({ key: 5 }))],
      ],
    ),
  ])('%s', (message, run) => {
    expect(run).toThrow(message)
  })

  it.each<[string, object]>([
    ['hostname is a text, not 5.', { hostname: 5 }],
    ['that a header can carry', { controlToken: 'a\nb' }],
    ['port is a number from 0 to 65535', { port: 70_000 }],
    ['listen knows no option "host". It takes: port, hostname, controlToken.', { host: 'x' }],
  ])('%s', async (message, given) => {
    await expect(fake.listen(given)).rejects.toThrow(message)
  })

  it('a class with a static now() is a clock', () => {
    expect(options({ clock: Date })).not.toThrow()
  })
})
