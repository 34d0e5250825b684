import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type BudgetStore, type Clock, createBudget, createClient } from 'etn-market'
import { createFakeService, type FakeService, fakeTokens } from 'etn-market/fake'
import fc from 'fast-check'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { Journal } from '../../src/cli/journal.ts'
import { readPlanFile } from '../../src/cli/plan-file.ts'
import { forecastPlan } from '../../src/cli/plan-forecast.ts'
import type { RunEvent } from '../../src/cli/run-plan/run-events.ts'
import { runPlan } from '../../src/cli/run-plan/run-plan.ts'
import { createVirtualClock } from '../support/clock.ts'
import { createDirectTransport } from '../support/direct-transport.ts'
import { onCaseFinished, testProperty } from '../support/property.ts'
// What loads with its first use takes no real time here.
import '../../src/generated/answer-schemas.ts'

// As does what loads with the first call, the first sweep, and the first entry of a budget.
beforeAll(async () => {
  const fake = createFakeService({ clock: createVirtualClock() })
  const store = new Map<string, string>()
  for (const address of ADDRESSES.slice(0, 2)) {
    const budget = createBudget({ credits: 5_000, windowMs: 86_400_000, store })
    await budget.load()
    const client = createClient({ apiKey: fake.key, fetch: fake.fetch, budget })
    for await (const { error } of client.locks.get.many([{ address }])) expect(error).toBe(undefined)
    await client.close()
    await budget.flush()
  }
  await fake.close()
})

const HOUR = 3_600_000
const DAY = 24 * HOUR
const SPAN = 2 * DAY
const ADDRESSES = Object.values(fakeTokens)
const list = (from: number, to: number) => `[${ADDRESSES.slice(from, to).join(', ')}]`

interface Run {
  readonly events: RunEvent[]
  /** The events of a kind. */
  of<Kind extends RunEvent['event']>(kind: Kind): Extract<RunEvent, { event: Kind }>[]
  /** As `kill -9`: nothing more is sent, stored or answered. */
  crash(): void
  /** Ends the run and waits for its end. */
  stop(): Promise<void>
}

/** A plan, a service and a clock. Runs of the plan have one store and one folder. */
function prepare(yaml: string, latencyMs = 0) {
  const folder = mkdtempSync(join(tmpdir(), 'etn-market-run-'))
  onCaseFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'plan.yaml')
  writeFileSync(path, yaml)
  const clock = createVirtualClock()
  const fake = createFakeService({ clock })
  onCaseFinished(() => fake.close())
  const store: Required<BudgetStore> = new Map<string, string>()
  let lostLocks = 0
  const read = () => readPlanFile({ name: 'plan.yaml', path })

  async function start(creditsPerDay = 10_000_000): Promise<Run> {
    const { lines } = await read()
    const { creditsPerDay: planned } = forecastPlan({ lines })
    const events: RunEvent[] = []
    const stopping = new AbortController()
    let isDead = false
    const never = new Promise<never>(() => {})
    const ownStore: Required<BudgetStore> = {
      get: (key) => store.get(key),
      set: (key, value) => (isDead ? never : store.set(key, value)),
      delete: (key) => (isDead ? never : store.delete(key)),
    }
    const ownClock: Clock = {
      ...clock,
      sleep: (ms, signal) => clock.sleep(ms, signal).then(() => (isDead ? never : undefined)),
    }
    const budget = createBudget({ credits: creditsPerDay, windowMs: DAY, store: ownStore }, ownClock)
    const transport = createDirectTransport(async (url, init) => {
      if (isDead) return never
      const answer = await fake.fetch(url, init)
      await clock.sleep(latencyMs)
      if (!isDead) return answer
      if (String(url).includes('/liquidity-locks')) lostLocks++
      return never
    })
    const running = runPlan({
      lines,
      creditsPerDay,
      planned,
      store: ownStore,
      budget,
      clock: ownClock,
      signal: stopping.signal,
      file: (name) => ({ name, path: resolve(folder, name) }),
      client: createClient({ apiKey: fake.key, transport, clock: ownClock, budget }),
      emit: (event) => void events.push(event),
    })
    running.catch(() => {})
    return {
      events,
      of: <Kind extends RunEvent['event']>(kind: Kind) =>
        events.filter((event): event is Extract<RunEvent, { event: Kind }> => event.event === kind),
      crash() {
        isDead = true
        // A process that ends has no files of its own; a later one takes over its locks.
        for (const name of readdirSync(folder)) if (name.endsWith('.lock')) rmSync(join(folder, name))
      },
      async stop() {
        stopping.abort()
        await clock.advance(latencyMs)
        await running
      },
    }
  }
  /** Starts the plan, and ends it after a while. */
  async function runFor(ms: number): Promise<Run> {
    const run = await start()
    await clock.advance(ms)
    await run.stop()
    return run
  }

  const calls = (operation: string) => fake.journal().filter((entry) => entry.operation === operation).length
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  const lines = (name: string) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n')
  return { clock, fake, read, start, runFor, calls, store, folder, write, lines, lostLocks: () => lostLocks }
}

const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

const chargedOn = (fake: FakeService, date: string): number =>
  fake.ledger().reduce((sum, { at, credits }) => sum + (dateOf(at) === date ? credits : 0), 0)

test.each([
  [
    'prices of two lines through one feed, and a call',
    `
- { operation: prices.batch, addresses: ${list(0, 8)}, every: 40m }
- { operation: token.price, addresses: ${list(4, 10)}, every: 100m }
- { operation: etn.price, every: 1h }`,
  ],
  [
    'a sweep once a night, candles, and prices in the hours of an office',
    `
- { operation: locks.get, addresses: ${list(0, 10)}, once: night }
- { operation: token.candles, addresses: ${list(0, 2)}, every: 4h, params: { bucket: 1h }, file: candles }
- { operation: prices.batch, addresses: ${list(0, 5)}, every: 30m, hours: 08:00-18:00 }`,
  ],
  [
    'calls that are counted, a sweep several times a day, and one at a time',
    `
- { operation: nft.stats, count: 3, every: 2h }
- { operation: token.get, addresses: ${list(0, 4)}, every: 6h, hours: 22:00-07:00 }
- { operation: token.list, params: { limit: 10 }, once: '23:30' }`,
  ],
])('in two days, %s cost what the plan says, within 5 percent', async (_, yaml) => {
  const { clock, fake, read, runFor } = prepare(yaml)
  const plan = forecastPlan(await read())
  const begun = clock.now()
  const run = await runFor(SPAN)
  const charges = fake.ledger().filter(({ at }) => at < begun + SPAN)
  const perDay = charges.reduce((sum, { credits }) => sum + credits, 0) / 2
  expect([run.of('failed'), run.of('limit')]).toEqual([[], []])
  // Each day that it reports has what the service charged in it.
  const days = run.of('day')
  expect(days.map(({ date, spent, uncertain }) => [date, spent, uncertain])).toEqual(
    days.map(({ date }) => [date, chargedOn(fake, date), 0]),
  )
  expect(days).toHaveLength(2)
  expect(Math.abs(perDay / plan.creditsPerDay - 1)).toBeLessThan(0.05)
})

test('a limit that lost answers use up is never exceeded, and the next day begins anew', async () => {
  const { clock, fake, start } = prepare(`
- { operation: locks.get, addresses: ${list(0, 10)}, once: '13:00' }
- { operation: etn.price, every: 30m }`)
  fake.fault({ operation: 'locks.get', reset: 'after', nth: [2, 3, 4, 5, 6] })
  const limit = 22_000
  const run = await start(limit)
  await clock.advance(2 * DAY)
  await run.stop()
  for (const date of ['2026-11-20', '2026-11-21', '2026-11-22'])
    expect(chargedOn(fake, date)).toBeLessThanOrEqual(limit)
  expect(run.of('limit').length).toBeGreaterThan(0)
  const sweeps = run.of('sweep')
  // The rest of the first day's sweep is bought on the next day, before its own.
  expect(sweeps[0]).toMatchObject({ file: 'locks.get-2026-11-20.jsonl', left: expect.any(Number) })
  expect(sweeps[0]?.left).toBeGreaterThan(0)
  expect(sweeps[1]).toMatchObject({ file: 'locks.get-2026-11-20.jsonl', done: 10, left: 0, stored: sweeps[0]?.done })
})

test('what was bought before an end is not bought again, and what was missed is made up for once', async () => {
  const { clock, fake, runFor } = prepare(`
- { operation: locks.get, addresses: ${list(0, 4)}, once: '13:00' }
- { operation: prices.batch, addresses: ${list(0, 4)}, every: 1h }
- { operation: etn.price, every: 2h }`)
  await runFor(1.5 * HOUR)
  const charged = fake.charged()
  expect(fake.charged({ operation: 'locks.get' })).toBe(8_000)
  await runFor(60_000)
  // Its prices are young enough, its call and its sweep were made.
  expect(fake.charged()).toBe(charged)
  await clock.advance(3.5 * DAY)
  const third = await runFor(60_000)
  expect(fake.charged({ operation: 'locks.get' })).toBe(16_000)
  expect(third.of('day')).toMatchObject([{ date: '2026-11-20', spent: charged }])
})

test('a refused key ends the run, with everything that was begun', async () => {
  const { clock, fake, start } = prepare(`
- { operation: locks.get, addresses: ${list(0, 4)}, every: 6h }
- { operation: prices.batch, addresses: ${list(0, 4)}, every: 1h }`)
  const run = await start()
  await clock.advance(60_000)
  fake.fault({ status: 401, times: Number.POSITIVE_INFINITY })
  await clock.advance(DAY)
  await expect(run.stop()).rejects.toMatchObject({ name: 'AuthenticationError' })
  const refused = fake.journal().filter(({ status }) => status === 401)
  expect(refused.length).toBeLessThan(5)
  expect(run.events.at(-1)?.event).toBe('stopped')
})

let allLost = 0

testProperty(
  'killed at any moment, again and again, a run never exceeds the limit of a day, forgets no charge and repeats no sweep',
  fc.asyncProperty(
    // Most moments are between calls: these are in the middle of the first ones after a start, or of a sweep.
    fc.array(fc.record({ hours: fc.constantFrom(0, 0, 1, 6, 13), ms: fc.integer({ min: 1, max: 1_000 }) }), {
      minLength: 1,
      maxLength: 8,
    }),
    fc.double({ min: 0.2, max: 1.5, noNaN: true }),
    async (spans, part) => {
      const { clock, fake, read, start, lostLocks } = prepare(
        `
- { operation: locks.get, addresses: ${list(0, 6)}, every: 6h }
- { operation: prices.batch, addresses: ${list(2, 6)}, every: 1h }
- { operation: etn.price, every: 40m }`,
        400,
      )
      const begun = clock.now()
      const { creditsPerDay } = forecastPlan(await read())
      const limit = Math.ceil(part * creditsPerDay)
      for (const { hours, ms } of spans) {
        const run = await start(limit)
        await clock.advance(hours * HOUR + ms)
        run.crash()
      }
      const last = await start(limit)
      await clock.advance(HOUR)
      await last.stop()
      const dates = new Set(fake.ledger().map(({ at }) => dateOf(at)))
      for (const date of dates) expect(chargedOn(fake, date), date).toBeLessThanOrEqual(limit)
      const [stopped = { spent: 0, uncertain: 0 }] = last.of('stopped')
      expect(stopped.spent + stopped.uncertain).toBeGreaterThanOrEqual(chargedOn(fake, dateOf(clock.now())))
      // Only calls whose answer was lost are made again.
      const times = Math.floor((clock.now() - begun) / (6 * HOUR)) + 1
      const locks = fake.ledger().filter(({ operation }) => operation === 'locks.get')
      expect(locks.length).toBeLessThanOrEqual(6 * times + lostLocks())
      allLost += lostLocks()
    },
  ),
  { cases: 4, afterAll: () => expect(allLost).toBeGreaterThan(5) },
)

test('a token whose candles fail leaves the other tokens of its line alone', async () => {
  const { fake, runFor } = prepare(`
- { operation: token.candles, addresses: ${list(0, 3)}, every: 1h, params: { limit: 5 } }`)
  fake.fault({ operation: 'token.candles', nth: 2, status: 404 })
  const { events } = await runFor(HOUR - 1)
  expect(events.map(({ event }) => event)).toEqual(['started', 'candles', 'failed', 'candles', 'stopped'])
})

const LOCKS = 2_000

test.each(['every: 6h', 'once: "13:00"'])(
  'a token that is added to a list is bought, and no other one again, with %s',
  async (times) => {
    const { fake, runFor, write } = prepare(`- { operation: locks.get, addresses: tokens.txt, ${times} }`)
    const run = (count: number) => {
      write('tokens.txt', ADDRESSES.slice(0, count).join('\n'))
      return runFor(1.5 * HOUR)
    }
    await run(4)
    expect((await run(5)).of('sweep')).toMatchObject([{ done: 5, stored: 4 }])
    expect(fake.charged()).toBe(5 * LOCKS)
    await run(3)
    expect(fake.charged()).toBe(5 * LOCKS)
  },
)

test('sweeps that are due within a minute buy each time, in a journal each', async () => {
  const { fake, runFor, folder } = prepare(
    `- { operation: locks.get, addresses: ${list(0, 2)}, every: 20s, file: locks }`,
  )
  await runFor(59_000)
  expect(fake.charged()).toBe(3 * 2 * LOCKS)
  expect(readdirSync(folder).filter((name) => name.startsWith('locks-'))).toHaveLength(3)
})

test.each([
  ['5 minutes back', -5 * 60_000, 0],
  ['a day back', -DAY, 0],
  ['10 years ahead, which may be sleep', 3_650 * DAY, 1],
])('a clock that is set %s neither holds a line up nor makes it buy more than once', async (_, step, more) => {
  const { clock, calls, start } = prepare(`
- { operation: locks.get, addresses: ${list(0, 2)}, every: 6h }
- { operation: token.candles, addresses: ${list(0, 2)}, every: 1h, params: { limit: 5 } }
- { operation: prices.batch, addresses: ${list(0, 4)}, every: 1h, hours: 00:00-00:00 }
- { operation: etn.price, every: 30m }`)
  const run = await start()
  await clock.advance(3.2 * HOUR)
  clock.stepWallClock(step)
  await clock.advance(9 * HOUR)
  await run.stop()
  const made = [calls('locks.get'), calls('token.candles'), calls('etn.price')]
  expect(made).toEqual([(3 + more) * 2, (13 + more) * 2, 25 + more])
})

test('a run that was begun with a clock that was ahead goes on with the right one', async () => {
  const { clock, calls, runFor } = prepare(`
- { operation: locks.get, addresses: ${list(0, 2)}, every: 6h }
- { operation: token.candles, addresses: ${list(0, 2)}, every: 1h, params: { limit: 5 } }
- { operation: etn.price, once: '13:00' }
- { operation: nft.stats, every: 30m }`)
  const all = () => ['locks.get', 'nft.stats', 'token.candles', 'etn.price'].map(calls)
  clock.stepWallClock(3_650 * DAY)
  await runFor(2 * HOUR)
  clock.stepWallClock(-3_650 * DAY)
  const before = all()
  await runFor(25 * HOUR)
  const [locks, stats, candles, prices] = all().map((count, index) => count - (before[index] ?? 0))
  // An interval after the start, because nobody knows how long ago the last time was.
  expect([locks, stats, prices]).toEqual([4 * 2, 50, 1])
  // The service of this test had the wrong time as well: its candles from then are in the way, and cost another request each time.
  expect(candles).toBeGreaterThanOrEqual(25 * 2 - 2)
})

test('a daily line is not repeated where the clock is set back over its time', async () => {
  const { clock, fake, start } = prepare(`- { operation: locks.get, addresses: ${list(0, 2)}, once: '13:00' }`)
  const run = await start()
  await clock.advance(1.1 * HOUR)
  expect(fake.charged()).toBe(2 * LOCKS)
  clock.stepWallClock(-0.5 * HOUR)
  await clock.advance(2 * HOUR)
  expect(fake.charged()).toBe(2 * LOCKS)
  await clock.advance(DAY)
  await run.stop()
  expect(fake.charged()).toBe(4 * LOCKS)
})

test('a disk that is full costs a line one time, and not the run', async () => {
  const { clock, fake, start, store, folder } = prepare(`
- { operation: locks.get, addresses: ${list(0, 2)}, every: 6h }
- { operation: token.candles, addresses: ${list(0, 1)}, every: 1h, params: { limit: 5 } }
- { operation: nft.stats, every: 1h }`)
  const run = await start()
  await clock.advance(0.5 * HOUR)
  // The series cannot be replaced, and the state cannot be written.
  mkdirSync(join(folder, 'candles', `${ADDRESSES[0]}-1h-USD.csv.new`, 'in the way'), { recursive: true })
  await clock.advance(HOUR)
  const failed = run.of('failed')
  expect(failed).toMatchObject([{ operation: 'token.candles', code: 'not_written', savedTo: expect.any(String) }])
  expect(readFileSync(failed[0]?.savedTo ?? '', 'utf8')).toMatch(/^time,open/)
  rmSync(join(folder, 'candles', `${ADDRESSES[0]}-1h-USD.csv.new`), { recursive: true })
  const { set } = store
  store.set = (key, value) => {
    if (!key.includes(':line:')) return set.call(store, key, value)
    throw Object.assign(new Error('plan.state.json: no space left'), { code: 'ENOSPC', syscall: 'write' })
  }
  await clock.advance(HOUR)
  const charged = fake.charged()
  store.set = set
  await clock.advance(5 * HOUR)
  await run.stop()
  expect(fake.charged()).toBeGreaterThan(charged)
  expect(run.of('failed')).toContainEqual(expect.objectContaining({ operation: 'nft.stats', code: 'ENOSPC' }))
  expect(fake.charged({ operation: 'locks.get' })).toBe(2 * 2 * LOCKS)
})

test('a journal that takes nothing is written later, before anything else is bought', async () => {
  const { clock, fake, start, folder } = prepare(
    `- { operation: locks.get, addresses: ${list(0, 6)}, every: 12h, file: locks }`,
  )
  const original = Journal.prototype.append
  let isFull = false
  const append = vi.spyOn(Journal.prototype, 'append').mockImplementation(function (this: Journal, line) {
    if (!isFull) return original.call(this, line)
    const error = Object.assign(new Error('no space left'), { code: 'ENOSPC' })
    this.failure = error
    throw error
  })
  onTestFinished(() => append.mockRestore())
  isFull = true
  const run = await start()
  await clock.advance(1_000)
  const charged = fake.charged()
  expect(charged).toBeLessThan(6 * LOCKS)
  await clock.advance(20 * 60_000)
  expect(fake.charged()).toBe(charged)
  expect(run.of('failed').map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^locks-\S+: the disk is full\.$/),
  )
  isFull = false
  await clock.advance(10 * 60_000)
  await run.stop()
  expect(fake.charged()).toBe(6 * LOCKS)
  const [journal = ''] = readdirSync(folder).filter((name) => name.startsWith('locks-'))
  expect(readFileSync(join(folder, journal), 'utf8').match(/"answer"/g)).toHaveLength(6)
})

test('what a crash tore takes no other answer with it, and a restart writes no price again', async () => {
  const { fake, runFor, write, lines } = prepare(`
- { operation: etn.price, every: 1h, file: etn.jsonl }
- { operation: prices.batch, addresses: ${list(0, 4)}, every: 1h, file: prices.jsonl }`)
  write('etn.jsonl', '{"at":"2026-11-2')
  write('prices.jsonl', '{"address":"0x')
  for (const hours of [0.2, 0.2]) expect((await runFor(hours * HOUR)).of('price')).toHaveLength(4)
  expect(fake.journal()).toHaveLength(2)
  const read = (name: string) =>
    lines(name)
      .slice(1)
      .map((line) => JSON.parse(line) as object)
  expect([read('etn.jsonl').length, read('prices.jsonl').length]).toEqual([1, 4])
})

test.each([true, false])(
  'a line whose hours have begun while the machine slept begins within its interval, certain sleep: %s',
  async (isCertain) => {
    const { clock, start } = prepare(
      `- { operation: token.price, addresses: ${list(0, 1)}, every: 1m, hours: 12:00-12:10 }`,
    )
    const run = await start()
    await clock.advance(20.5 * 60_000)
    const before = run.of('price').length
    clock.suspend(DAY - 18 * 60_000, isCertain)
    await clock.advance(61_000)
    expect(
      run
        .of('price')
        .slice(before)
        .map(({ stale }) => stale),
    ).toContain(false)
    await run.stop()
  },
)
