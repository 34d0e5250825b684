import type { FakeCandle } from '../../data/candles.ts'
import { CANDLE, type SetPriceOptions, type WorldTradeOptions } from '../../data/world.ts'
import { EFFECTS, type FaultHandle, type FaultOptions, MATCH, type ScriptStep } from '../../faults/fault-options.ts'
import { KEYS, type KeyOptions } from '../../rules/accounts.ts'
import { checkValue, cut, FakeUsageError } from '../../rules/check.ts'
import { EXPECTED, type Expected } from '../../rules/expect.ts'
import { type FakeFilter, FILTER } from '../../rules/journal.ts'
import { type Bucket, type FakeOperation, QUERY_VALUES } from '../../rules/routes.ts'
import * as is from '../../rules/schema.ts'
import { checkData, type StubOptions } from '../../rules/stubs.ts'
import { type FakeService, type FakeSnapshot, RESET_PARTS, type ResetOptions } from '../../types.ts'

// What the control routes accept, do and answer. Requests are checked with these schemas, and the OpenAPI document shows them.

export interface Command {
  summary: string
  /** The fields that it takes, as an object. They are checked before it runs. @default none */
  takes?: is.Schema
  answers: is.Schema
}

export const ref = (name: keyof typeof COMPONENTS): is.Schema => is.refTo(name)

function answer(properties: Record<string, is.Schema>, optional: readonly string[] = []): is.Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', properties, required }
}

export const COMPONENTS = {
  Operation: is.OPERATION,
  Fault: is.object({ ...MATCH, ...EFFECTS }),
  Effects: is.object(EFFECTS),
  FaultHandle: answer({ id: is.count, label: is.text, hits: is.count }),
  Expected: EXPECTED,
  KeyState: answer({ credits: is.count, tier: is.text }),
  Keys: is.mapOf(is.refTo('KeyState')),
  NewKeys: KEYS,
  Candle: CANDLE,
  Charge: answer({
    key: is.text,
    operation: is.operation,
    ...is.each(is.count, 'items', 'credits', 'request'),
    delivered: is.flag,
    at: is.number,
  }),
  JournalEntry: answer(
    {
      at: is.number,
      ...is.each(is.text, 'method', 'url', 'path'),
      operation: is.orNull(is.operation),
      ...is.each(is.orNull(is.text), 'key', 'code', 'fault'),
      ...is.each(is.count, 'id', 'inFlight', 'heavyInFlight', 'credits'),
      status: is.orNull(is.count),
      ...is.each(is.flag, 'delivered', 'finished'),
      ...is.each(is.mapOf(is.text), 'query', 'headers'),
    },
    ['headers'],
  ),
  Version: answer({ version: is.count }),
  Time: answer({ now: is.number }),
  Ok: answer({ ok: is.flag }),
  Id: answer({ id: is.count }),
  Removed: answer({ removed: is.count }),
  Error: answer({ error: answer({ code: is.text, message: is.text }) }),
} satisfies Record<string, is.Schema>

const PAGE = { limit: is.numberFrom1, after: is.count, last: is.numberFrom1 }

type Listed = FakeFilter & Partial<Record<keyof typeof PAGE, number | undefined>>

function page<T>(
  { limit, after, last, ...filter }: Listed,
  list: (filter: FakeFilter) => T[],
  idOf: (one: T) => number,
) {
  const all = list(filter)
  const from = after === undefined ? all : all.filter((one) => idOf(one) > after)
  const newest = last === undefined ? from : from.slice(-last)
  return limit === undefined ? newest : newest.slice(0, limit)
}

const LISTED = is.object({ ...FILTER, ...PAGE })
const TOKEN = is.object({ token: is.address }, ['token'])
const EXPECTATION = is.object({ expected: ref('Expected'), ...FILTER }, ['expected'])
const STEPS = { ...is.listOf({ anyOf: [is.only('ok'), ref('Effects')] }), minItems: 1 }
const BUCKET = is.only(...QUERY_VALUES.bucket)

// biome-ignore format: a table reads best as one
const COMMANDS = {
  'GET health':            { summary: 'Whether the fake runs.', answers: answer({ ok: is.flag, now: is.count }) },
  'GET ledger':            { summary: 'The charges; `after` is the number of a request, `last` asks for the newest.', takes: LISTED, answers: is.listOf(ref('Charge')) },
  'GET journal':           { summary: 'The requests; `after` is the id of one, `last` asks for the newest.', takes: LISTED, answers: is.listOf(ref('JournalEntry')) },
  'GET totals':            { summary: 'Charged credits, and the maximum of requests in flight.', takes: is.object(FILTER), answers: answer({ charged: is.count, peakInFlight: is.count, peakHeavyInFlight: is.count }) },
  'GET faults':            { summary: 'The faults and scripts; `after` is the id of one.', takes: is.object(PAGE), answers: is.listOf(ref('FaultHandle')) },
  'POST faults':           { summary: 'Adds a fault with the options of fake.fault; `times` may be "Infinity".', takes: ref('Fault'), answers: ref('FaultHandle') },
  'DELETE faults/{id}':    { summary: 'Removes a fault or a script.', answers: ref('FaultHandle') },
  'POST script':           { summary: 'Adds a script: one outcome for each request of an operation.', takes: is.object({ operation: is.operation, steps: STEPS, key: is.text }, ['operation', 'steps']), answers: ref('FaultHandle') },
  'POST stubs':            { summary: 'Replaces the data of an operation; without `data` it answers 404.', takes: is.object({ operation: is.operation, data: {}, validate: is.flag }, ['operation']), answers: ref('Id') },
  'DELETE stubs/{id}':     { summary: 'Removes a stub, also one that `restore` has brought back.', answers: ref('Removed') },
  'GET keys':              { summary: 'The keys and their credits.', answers: ref('Keys') },
  'POST keys':             { summary: 'Adds keys, or replaces their credits: all of them or none.', takes: ref('NewKeys'), answers: ref('Keys') },
  'GET clock':             { summary: 'The time in unix milliseconds.', answers: ref('Time') },
  'POST clock':            { summary: 'Moves the time forward: by `advanceMs`, or to `now`.', takes: is.object({ advanceMs: is.numberFrom0, now: is.number }), answers: ref('Time') },
  'POST heavy-slots':      { summary: 'Takes a heavy slot, as another tenant would.', answers: ref('Id') },
  'DELETE heavy-slots/{id}': { summary: 'Frees a heavy slot.', answers: answer({ freed: is.count }) },
  'GET world':             { summary: 'The version of the data.', answers: ref('Version') },
  'POST world/price':      { summary: 'Sets the price of a token in USD, at once or over a time.', takes: is.object({ token: is.address, usd: is.amount, overMs: is.numberFrom0 }, ['token', 'usd']), answers: ref('Version') },
  'POST world/unprice':    { summary: 'Takes the price of a token away.', takes: TOKEN, answers: ref('Version') },
  'POST world/trade':      { summary: 'Adds a trade worth an amount in USD.', takes: is.object({ token: is.address, usd: is.amount }, ['token', 'usd']), answers: ref('Version') },
  'POST world/candles':    { summary: 'Replaces candles of the past.', takes: is.object({ token: is.address, bucket: BUCKET, rows: is.listOf(ref('Candle')) }, ['token', 'bucket', 'rows']), answers: ref('Version') },
  'POST world/release':    { summary: 'Gives a token its usual price back.', takes: TOKEN, answers: ref('Version') },
  'POST reset':            { summary: 'Resets the fake; `keep` lists the parts to keep.', takes: is.object({ keep: is.listOf(is.only(...RESET_PARTS)) }), answers: answer({ reset: is.flag }) },
  'POST snapshot':         { summary: 'Keeps the state.', answers: answer({ id: is.count, at: is.number }) },
  'DELETE snapshots/{id}': { summary: 'Drops a snapshot.', answers: ref('Removed') },
  'POST restore':          { summary: 'Restores the state of a snapshot.', takes: is.object({ id: is.count }, ['id']), answers: answer({ at: is.number }) },
  'POST expect/credits':   { summary: 'Answers 409 unless exactly these credits were charged.', takes: EXPECTATION, answers: ref('Ok') },
  'POST expect/requests':  { summary: 'Answers 409 unless exactly these requests arrived.', takes: EXPECTATION, answers: ref('Ok') },
  'POST expect/no-unused-faults': { summary: 'Answers 409 if a fault has hits left.', answers: ref('Ok') },
} satisfies Record<string, Command>

type CommandRoute = keyof typeof COMMANDS

/** The control routes by method and path; `{id}` is the last segment. */
export const commands: Readonly<Record<CommandRoute, Command>> = COMMANDS

/** Things that a remote program refers to by a number. The newest `max` are kept. */
class Registry<T> {
  readonly #name: string
  readonly #max: number
  readonly #things = new Map<string, T>()
  #added = 0

  constructor(name: string, max = 1_000) {
    this.#name = name
    this.#max = max
  }

  add(thing: T): number {
    this.#things.set(String(++this.#added), thing)
    this.#things.delete(String(this.#added - this.#max))
    return this.#added
  }

  get(id: string): T {
    const thing = this.#things.get(id)
    if (thing !== undefined) return thing
    throw new FakeUsageError(`There is no ${this.#name} ${cut(id)}. The newest ${this.#max} are kept.`)
  }

  drop(id: string): number {
    this.get(id)
    this.#things.delete(id)
    return Number(id)
  }
}

/** What a command does. `given` are the fields of the JSON body, or the query parameters of a GET. */
type Run = { run(given: object, id: string): unknown }['run']

/** What the commands do to a fake. */
export function createRunners(fake: FakeService, maxSnapshots: number): Record<CommandRoute, Run> {
  const { world } = fake
  const stubs = new Registry<() => boolean>('stub')
  const slots = new Registry<() => void>('heavy slot')
  const snapshots = new Registry<FakeSnapshot>('snapshot', maxSnapshots)
  const handle = ({ id, label, hits }: FaultHandle) => ({ id, label, hits })
  const time = () => ({ now: fake.now() })
  // What follows a call that returns nothing.
  const version = (_?: unknown) => ({ version: world.version })
  const ok = (_: unknown) => ({ ok: true })
  type Expectation = FakeFilter & { expected: Expected }
  type NewStub = StubOptions & { operation: FakeOperation; data?: unknown }
  return {
    'GET health': () => ({ ok: true, ...time() }),
    'GET ledger': (given: Listed) => page(given, fake.ledger, ({ request }) => request),
    'GET journal': (given: Listed) => page(given, fake.journal, ({ id }) => id),
    'GET totals': (filter: FakeFilter) => ({
      charged: fake.charged(filter),
      peakInFlight: fake.peakInFlight(),
      peakHeavyInFlight: fake.peakInFlight({ heavy: true }),
    }),
    'GET faults': (given: Listed) => page(given, fake.faults, ({ id }) => id).map(handle),
    // JSON has no Infinity.
    'POST faults': ({ times, ...fault }: Omit<FaultOptions, 'times'> & { times?: number | 'Infinity' }) =>
      handle(fake.fault(times === undefined ? fault : { ...fault, times: Number(times) })),
    'DELETE faults/{id}': (_, id) => {
      const fault = fake.faults().find((one) => String(one.id) === id)
      if (!fault) throw new FakeUsageError(`There is no fault ${cut(id)}.`)
      fault.remove()
      return handle(fault)
    },
    'POST script': ({ operation, steps, ...rest }: { operation: FakeOperation; steps: ScriptStep[] }) =>
      handle(fake.script(operation, steps, rest)),
    'POST stubs': ({ operation, data, validate = true }: NewStub) => {
      // The data is known, so a mistake shows now and not at the call.
      if (validate && data !== undefined) checkData(operation, data)
      return { id: stubs.add(fake.stub(operation, () => data, { validate })) }
    },
    'DELETE stubs/{id}': (_, id) => {
      if (!stubs.get(id)()) throw new FakeUsageError(`There is no stub ${cut(id)}.`)
      return { removed: Number(id) }
    },
    'GET keys': () => fake.keys(),
    'POST keys': (given: Record<string, KeyOptions>) => {
      fake.addKeys(given)
      return fake.keys()
    },
    'GET clock': time,
    'POST clock': async ({ advanceMs, now }: { advanceMs?: number; now?: number }) => {
      if ((advanceMs === undefined) === (now === undefined)) throw new FakeUsageError('Give either advanceMs or now.')
      if (now !== undefined) checkValue('now', is.between(fake.now()), now)
      await fake.advance(advanceMs ?? Number(now) - fake.now())
      return time()
    },
    'POST heavy-slots': () => ({ id: slots.add(fake.holdHeavySlot()) }),
    'DELETE heavy-slots/{id}': (_, id) => {
      slots.get(id)()
      return { freed: slots.drop(id) }
    },
    'GET world': () => version(),
    'POST world/price': ({ token, usd, ...options }: WorldTradeOptions & SetPriceOptions) =>
      version(world.setPrice(token, usd, options)),
    'POST world/unprice': ({ token }: { token: string }) => version(world.unprice(token)),
    'POST world/trade': (trade: WorldTradeOptions) => version(world.trade(trade)),
    'POST world/candles': ({ token, bucket, rows }: { token: string; bucket: Bucket; rows: FakeCandle[] }) =>
      version(world.candles(token, bucket, rows)),
    'POST world/release': ({ token }: { token: string }) => version(world.release(token)),
    'POST reset': (options: ResetOptions) => {
      fake.reset(options)
      return { reset: true }
    },
    'POST snapshot': () => {
      const snapshot = fake.snapshot()
      return { id: snapshots.add(snapshot), at: snapshot.at }
    },
    'DELETE snapshots/{id}': (_, id) => ({ removed: snapshots.drop(id) }),
    'POST restore': ({ id }: { id: number }) => {
      const snapshot = snapshots.get(String(id))
      fake.restore(snapshot)
      return { at: snapshot.at }
    },
    'POST expect/credits': ({ expected, ...filter }: Expectation) => ok(fake.expectCredits(expected, filter)),
    'POST expect/requests': ({ expected, ...filter }: Expectation) => ok(fake.expectRequests(expected, filter)),
    'POST expect/no-unused-faults': () => ok(fake.expectNoUnusedFaults()),
  }
}
