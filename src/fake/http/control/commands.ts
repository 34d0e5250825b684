import type { FakeCandle } from '../../data/candles.ts'
import { CANDLE, type SetPriceOptions, type WorldTradeOptions } from '../../data/world-control.ts'
import { EFFECTS, type FaultHandle, type FaultOptions, MATCH, type ScriptStep } from '../../faults/fault-options.ts'
import { KEYS, type KeyOptions } from '../../rules/accounts.ts'
import { checkValue, cut, FakeUsageError } from '../../rules/check.ts'
import { EXPECTED, type Expected } from '../../rules/expect.ts'
import { type FakeFilter, FILTER } from '../../rules/ledger.ts'
import { type Bucket, type FakeOperation, QUERY_VALUES } from '../../rules/routes.ts'
import * as is from '../../rules/schema.ts'
import { checkData } from '../../rules/stubs.ts'
import { type FakeService, type FakeSnapshot, RESET_PARTS, type ResetOptions } from '../../types.ts'

// What the control routes accept, do and answer. Requests are checked with these schemas, and the OpenAPI document shows them.

export interface Command {
  summary: string
  /** The fields that it takes, as an object. They are checked before it runs. @default none */
  takes?: is.Schema
  answers: is.Schema
  /** `given` are the fields of the JSON body, or the query parameters of a GET. */
  run(given: object, id: string): unknown
}

/** Control routes by method and path; `{id}` is the last segment. */
export type Commands = Record<string, Command>

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
    items: is.count,
    credits: is.count,
    delivered: is.flag,
    at: is.number,
    request: is.count,
  }),
  JournalEntry: answer(
    {
      id: is.count,
      at: is.number,
      method: is.text,
      url: is.text,
      path: is.text,
      query: is.mapOf(is.text),
      operation: is.orNull(is.operation),
      key: is.orNull(is.text),
      attempt: is.count,
      inFlight: is.count,
      heavyInFlight: is.count,
      status: is.orNull(is.count),
      code: is.orNull(is.text),
      fault: is.orNull(is.text),
      credits: is.count,
      delivered: is.flag,
      finished: is.flag,
      headers: is.mapOf(is.text),
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

type PageOptions = Partial<Record<keyof typeof PAGE, number | undefined>>

function page<T>(all: T[], idOf: (one: T) => number, { limit, after, last }: PageOptions) {
  const from = after === undefined ? all : all.filter((one) => idOf(one) > after)
  const newest = last === undefined ? from : from.slice(-last)
  return limit === undefined ? newest : newest.slice(0, limit)
}

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

  take(id: string): T {
    const thing = this.get(id)
    this.#things.delete(id)
    return thing
  }
}

/** A route that gives up what a registry has under a number. */
function drop(summary: string, name: 'removed' | 'freed', answers: is.Schema, registry: Registry<object>): Command {
  return {
    summary,
    answers,
    run(_, id) {
      const thing = registry.take(id)
      if (typeof thing === 'function') thing()
      return { [name]: Number(id) }
    },
  }
}

function expecting(summary: string, expect: FakeService['expectCredits']): Command {
  return {
    summary,
    takes: is.object({ expected: ref('Expected'), ...FILTER }, ['expected']),
    answers: ref('Ok'),
    run({ expected, ...filter }: { expected: Expected } & FakeFilter) {
      expect(expected, filter)
      return { ok: true }
    },
  }
}

export function createCommands(fake: FakeService, maxSnapshots: number): Commands {
  const { world } = fake
  const stubs = new Registry<() => boolean>('stub')
  const slots = new Registry<() => void>('heavy slot')
  const snapshots = new Registry<FakeSnapshot>('snapshot', maxSnapshots)
  const handle = ({ id, label, hits }: FaultHandle) => ({ id, label, hits })
  const ofToken = is.object({ token: is.address }, ['token'])
  const version = () => ({ version: world.version })
  const done = (_: unknown) => version()

  return {
    'GET health': {
      summary: 'Whether the fake runs.',
      answers: answer({ ok: is.flag, now: is.count }),
      run: () => ({ ok: true, now: fake.now() }),
    },
    'GET ledger': {
      summary: 'The charges; `after` is the number of a request, `last` asks for the newest.',
      takes: is.object({ ...FILTER, ...PAGE }),
      answers: is.listOf(ref('Charge')),
      run: ({ limit, after, last, ...filter }: FakeFilter & PageOptions) =>
        page(fake.ledger(filter), ({ request }) => request, { limit, after, last }),
    },
    'GET journal': {
      summary: 'The requests; `after` is the id of one, `last` asks for the newest.',
      takes: is.object({ ...FILTER, ...PAGE }),
      answers: is.listOf(ref('JournalEntry')),
      run: ({ limit, after, last, ...filter }: FakeFilter & PageOptions) =>
        page(fake.journal(filter), ({ id }) => id, { limit, after, last }),
    },
    'GET totals': {
      summary: 'Charged credits, and the maximum of requests in flight.',
      takes: is.object(FILTER),
      answers: answer({ charged: is.count, peakInFlight: is.count, peakHeavyInFlight: is.count }),
      run(filter: FakeFilter) {
        const [peakInFlight, peakHeavyInFlight] = [fake.peakInFlight(), fake.peakInFlight({ heavy: true })]
        return { charged: fake.charged(filter), peakInFlight, peakHeavyInFlight }
      },
    },
    'GET faults': {
      summary: 'The faults and scripts; `after` is the id of one.',
      takes: is.object(PAGE),
      answers: is.listOf(ref('FaultHandle')),
      run: (given: PageOptions) => page(fake.faults().map(handle), ({ id }) => id, given),
    },
    'POST faults': {
      summary: 'Adds a fault with the options of fake.fault; `times` may be "Infinity".',
      takes: ref('Fault'),
      answers: ref('FaultHandle'),
      // JSON has no Infinity.
      run: ({ times, ...fault }: Omit<FaultOptions, 'times'> & { times?: number | 'Infinity' }) =>
        handle(fake.fault(times === undefined ? fault : { ...fault, times: Number(times) })),
    },
    'DELETE faults/{id}': {
      summary: 'Removes a fault or a script.',
      answers: ref('FaultHandle'),
      run(_, id) {
        const fault = fake.faults().find((one) => String(one.id) === id)
        if (!fault) throw new FakeUsageError(`There is no fault ${cut(id)}.`)
        fault.remove()
        return handle(fault)
      },
    },
    'POST script': {
      summary: 'Adds a script: one outcome for each request of an operation.',
      takes: is.object(
        {
          operation: is.operation,
          steps: { ...is.listOf({ anyOf: [is.only('ok'), ref('Effects')] }), minItems: 1 },
          key: is.text,
        },
        ['operation', 'steps'],
      ),
      answers: ref('FaultHandle'),
      run: ({ operation, steps, ...rest }: { operation: FakeOperation; steps: ScriptStep[] }) =>
        handle(fake.script(operation, steps, rest)),
    },
    'POST stubs': {
      summary: 'Replaces the data of an operation; without `data` it answers 404.',
      takes: is.object({ operation: is.operation, data: {}, validate: is.flag }, ['operation']),
      answers: ref('Id'),
      run({ operation, data, validate = true }: { operation: FakeOperation; data?: unknown; validate?: boolean }) {
        // The data is known, so a mistake shows now and not at the call.
        if (validate && data !== undefined) checkData(operation, data)
        return { id: stubs.add(fake.stub(operation, () => data, { validate })) }
      },
    },
    'DELETE stubs/{id}': {
      summary: 'Removes a stub, also one that `restore` has brought back.',
      answers: ref('Removed'),
      run(_, id) {
        if (!stubs.get(id)()) throw new FakeUsageError(`There is no stub ${cut(id)}.`)
        return { removed: Number(id) }
      },
    },
    'GET keys': { summary: 'The keys and their credits.', answers: ref('Keys'), run: () => fake.keys() },
    'POST keys': {
      summary: 'Adds keys, or replaces their credits: all of them or none.',
      takes: ref('NewKeys'),
      answers: ref('Keys'),
      run(given: Record<string, KeyOptions>) {
        fake.addKeys(given)
        return fake.keys()
      },
    },
    'GET clock': { summary: 'The time in unix milliseconds.', answers: ref('Time'), run: () => ({ now: fake.now() }) },
    'POST clock': {
      summary: 'Moves the time forward: by `advanceMs`, or to `now`.',
      takes: is.object({ advanceMs: is.numberFrom0, now: is.number }),
      answers: ref('Time'),
      async run({ advanceMs, now }: { advanceMs?: number; now?: number }) {
        if ((advanceMs === undefined) === (now === undefined)) throw new FakeUsageError('Give either advanceMs or now.')
        if (now !== undefined) checkValue('now', is.between(fake.now()), now)
        await fake.advance(advanceMs ?? Number(now) - fake.now())
        return { now: fake.now() }
      },
    },
    'POST heavy-slots': {
      summary: 'Takes a heavy slot, as another tenant would.',
      answers: ref('Id'),
      run: () => ({ id: slots.add(fake.holdHeavySlot()) }),
    },
    'DELETE heavy-slots/{id}': drop('Frees a heavy slot.', 'freed', answer({ freed: is.count }), slots),
    'GET world': { summary: 'The version of the data.', answers: ref('Version'), run: version },
    'POST world/price': {
      summary: 'Sets the price of a token in USD, at once or over a time.',
      takes: is.object({ token: is.address, usd: is.amount, overMs: is.numberFrom0 }, ['token', 'usd']),
      answers: ref('Version'),
      run: ({ token, usd, ...options }: WorldTradeOptions & SetPriceOptions) =>
        done(world.setPrice(token, usd, options)),
    },
    'POST world/unprice': {
      summary: 'Takes the price of a token away.',
      takes: ofToken,
      answers: ref('Version'),
      run: ({ token }: { token: string }) => done(world.unprice(token)),
    },
    'POST world/trade': {
      summary: 'Adds a trade worth an amount in USD.',
      takes: is.object({ token: is.address, usd: is.amount }, ['token', 'usd']),
      answers: ref('Version'),
      run: (trade: WorldTradeOptions) => done(world.trade(trade)),
    },
    'POST world/candles': {
      summary: 'Replaces candles of the past.',
      takes: is.object({ token: is.address, bucket: is.only(...QUERY_VALUES.bucket), rows: is.listOf(ref('Candle')) }, [
        'token',
        'bucket',
        'rows',
      ]),
      answers: ref('Version'),
      run: ({ token, bucket, rows }: { token: string; bucket: Bucket; rows: FakeCandle[] }) =>
        done(world.candles(token, bucket, rows)),
    },
    'POST world/release': {
      summary: 'Gives a token its usual price back.',
      takes: ofToken,
      answers: ref('Version'),
      run: ({ token }: { token: string }) => done(world.release(token)),
    },
    'POST reset': {
      summary: 'Resets the fake; `keep` lists the parts to keep.',
      takes: is.object({ keep: is.listOf(is.only(...RESET_PARTS)) }),
      answers: answer({ reset: is.flag }),
      run(options: ResetOptions) {
        fake.reset(options)
        return { reset: true }
      },
    },
    'POST snapshot': {
      summary: 'Keeps the state.',
      answers: answer({ id: is.count, at: is.number }),
      run() {
        const snapshot = fake.snapshot()
        return { id: snapshots.add(snapshot), at: snapshot.at }
      },
    },
    'DELETE snapshots/{id}': drop('Drops a snapshot.', 'removed', ref('Removed'), snapshots),
    'POST restore': {
      summary: 'Restores the state of a snapshot.',
      takes: is.object({ id: is.count }, ['id']),
      answers: answer({ at: is.number }),
      run({ id }: { id: number }) {
        const snapshot = snapshots.get(String(id))
        fake.restore(snapshot)
        return { at: snapshot.at }
      },
    },
    'POST expect/credits': expecting('Answers 409 unless exactly these credits were charged.', fake.expectCredits),
    'POST expect/requests': expecting('Answers 409 unless exactly these requests arrived.', fake.expectRequests),
    'POST expect/no-unused-faults': {
      summary: 'Answers 409 if a fault has hits left.',
      answers: ref('Ok'),
      run() {
        fake.expectNoUnusedFaults()
        return { ok: true }
      },
    },
  }
}
