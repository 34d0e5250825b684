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
    ...['heavyConcurrency', 'heavyRetryAfterSeconds', 'rateLimit', 'cors', 'journal', 'maxSnapshots', 'log'],
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
    ['addKey', (wrong) => fake.addKey(asNever(wrong), 1)],
    ['addKey(key, …)', (wrong) => fake.addKey('k', asNever(wrong))],
    ['addKeys', (wrong) => fake.addKeys(asNever(wrong))],
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

  it('names the option, and what it takes', () => {
    expect(() => createFakeService({ clock: null as never })).toThrow(
      'clock is an object with now(), in unix milliseconds, not null.',
    )
    expect(() => createFakeService({ baseUrl: 'nonsense' })).toThrow(
      'baseUrl is an absolute http or https URL, not "nonsense".',
    )
    expect(() => mswHandlers(undefined as never)).toThrow('fake is a fake that createFakeService made, not undefined.')
  })
})
