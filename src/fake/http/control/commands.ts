import type { FaultHandle, FaultOptions, ScriptStep } from '../../faults/fault-options.ts'
import { cut, FakeUsageError } from '../../rules/check-options.ts'
import type { Expected } from '../../rules/expect.ts'
import { type FakeFilter, FILTER } from '../../rules/ledger.ts'
import type { FakeOperation } from '../../rules/routes.ts'
import { count, findMismatch, flag, numberFrom1, object, type Schema, text } from '../../rules/schema.ts'
import type { FakeService } from '../../types.ts'
import { answer, ref } from './schemas.ts'

/** The fields of a request: those of the JSON body, or the query parameters of a GET. */
export type Fields = Record<string, unknown>

/** A control route. Requests are checked with its schema before it runs. */
export interface Command {
  summary: string
  /** The fields that it takes, as an object. @default none */
  takes?: Schema
  /** What it answers. */
  answers: Schema
  run(fields: Fields, id: string): unknown
}

/** Control routes by method and path; `{id}` is the last segment. */
export type Commands = Record<string, Command>

/** The query parameters of a list. */
const PAGE: Record<string, Schema> = { limit: numberFrom1, after: count, last: numberFrom1 }

/** The part of a list that `after`, `last` and `limit` ask for. */
function page<T>(all: T[], idOf: (one: T) => number, fields: Fields): T[] {
  const { limit, after, last } = fields as { limit?: number; after?: number; last?: number }
  const from = after === undefined ? all : all.filter((one) => idOf(one) > after)
  const newest = last === undefined ? from : from.slice(-last)
  return limit === undefined ? newest : newest.slice(0, limit)
}

const DEFAULT_MAX_THINGS = 1_000

/** Things that a remote program refers to by a number. The newest `max` are kept. */
export class Registry<T> {
  readonly #name: string
  readonly #max: number
  readonly #things = new Map<string, T>()
  #added = 0

  constructor(name: string, max = DEFAULT_MAX_THINGS) {
    this.#name = name
    this.#max = max
  }

  add(thing: T): number {
    this.#things.set(String(++this.#added), thing)
    const [oldest] = this.#things.keys()
    if (this.#things.size > this.#max && oldest !== undefined) this.#things.delete(oldest)
    return this.#added
  }

  /** Throws for an unknown number. */
  get(id: string): T {
    const thing = this.#things.get(id)
    if (thing !== undefined) return thing
    throw new FakeUsageError(`There is no ${this.#name} ${cut(id)}. The newest ${this.#max} are kept.`)
  }

  /** The same, and removes the thing. */
  take(id: string): T {
    const thing = this.get(id)
    this.#things.delete(id)
    return thing
  }
}

/** Reading what happened. */
export function readingCommands(fake: FakeService): Commands {
  const filterOf = ({ limit: _, after: __, last: ___, ...filter }: Fields) => filter as FakeFilter
  const takes = object({ ...FILTER, ...PAGE })
  return {
    'GET health': {
      summary: 'Whether the fake runs.',
      answers: answer({ ok: flag, now: count }),
      run: () => ({ ok: true, now: fake.now() }),
    },
    'GET ledger': {
      summary: 'The charges; `after` is the number of a request, `last` asks for the newest.',
      takes,
      answers: { type: 'array', items: ref('Charge') },
      run: (given) => page(fake.ledger(filterOf(given)), ({ request }) => request, given),
    },
    'GET journal': {
      summary: 'The requests; `after` is the id of one, `last` asks for the newest.',
      takes,
      answers: { type: 'array', items: ref('JournalEntry') },
      run: (given) => page(fake.journal(filterOf(given)), ({ id }) => id, given),
    },
    'GET totals': {
      summary: 'Charged credits, and the maximum of requests in flight.',
      takes: object(FILTER),
      answers: answer({ charged: count, peakInFlight: count, peakHeavyInFlight: count }),
      run: (given) => ({
        charged: fake.charged(filterOf(given)),
        peakInFlight: fake.peakInFlight(),
        peakHeavyInFlight: fake.peakInFlight({ heavy: true }),
      }),
    },
  }
}

/** Faults, scripts and stubs. */
export function faultCommands(fake: FakeService): Commands {
  const body = ({ id, label, hits }: FaultHandle) => ({ id, label, hits })
  const stubs = new Registry<() => void>('stub')
  return {
    'GET faults': {
      summary: 'The faults and scripts; `after` is the id of one.',
      takes: object(PAGE),
      answers: { type: 'array', items: ref('FaultHandle') },
      run: (given) => page(fake.faults().map(body), ({ id }) => id, given),
    },
    'POST faults': {
      summary: 'Adds a fault with the options of fake.fault; `times` may be "Infinity".',
      takes: ref('Fault'),
      answers: ref('FaultHandle'),
      run: (given) => body(fake.fault(readFault(given))),
    },
    'DELETE faults/{id}': {
      summary: 'Removes a fault or a script.',
      answers: ref('FaultHandle'),
      run(_, id) {
        const fault = fake.faults().find((one) => String(one.id) === id)
        if (!fault) throw new FakeUsageError(`There is no fault ${cut(id)}.`)
        fault.remove()
        return body(fault)
      },
    },
    'POST script': {
      summary: 'Adds a script: one outcome for each request of an operation.',
      takes: object(
        {
          operation: ref('Operation'),
          steps: { type: 'array', items: { anyOf: [{ type: 'string', enum: ['ok'] }, ref('Effects')] }, minItems: 1 },
          key: text,
        },
        ['operation', 'steps'],
      ),
      answers: ref('FaultHandle'),
      run: ({ operation, steps, key }) =>
        body(
          fake.script(
            operation as FakeOperation,
            steps as ScriptStep[],
            key === undefined ? {} : { key: key as string },
          ),
        ),
    },
    'POST stubs': {
      summary: 'Replaces the data of an operation; without `data` it answers 404.',
      takes: object({ operation: ref('Operation'), data: {}, validate: flag }, ['operation']),
      answers: ref('Id'),
      run: ({ operation, data, validate = true }) => {
        const name = operation as FakeOperation
        // The data is known, so a mistake shows now and not at the call.
        const mismatch = validate && data !== undefined ? findMismatch(name, data) : undefined
        if (mismatch) throw new FakeUsageError(`The stub of ${name} does not match the contract: ${mismatch}`)
        const remove = fake.stub(name, () => data, { validate: validate === true })
        return { id: stubs.add(remove) }
      },
    },
    'DELETE stubs/{id}': {
      summary: 'Removes a stub.',
      answers: ref('Removed'),
      run(_, id) {
        stubs.take(id)()
        return { removed: Number(id) }
      },
    },
  }
}

/** JSON has no Infinity, so the string "Infinity" is accepted. */
function readFault(given: Fields): FaultOptions {
  const times = given.times === 'Infinity' ? { times: Number.POSITIVE_INFINITY } : {}
  return { ...given, ...times } as FaultOptions
}

/** Expectations about what happened. */
export function expectationCommands(fake: FakeService): Commands {
  const ok = (run: () => void) => {
    run()
    return { ok: true }
  }
  const read = ({ expected, ...filter }: Fields) => [expected as Expected, filter as FakeFilter] as const
  const takes = object({ expected: ref('Expected'), ...FILTER }, ['expected'])
  const answers = ref('Ok')
  return {
    'POST expect/credits': {
      summary: 'Answers 409 unless exactly these credits were charged.',
      takes,
      answers,
      run: (given) => ok(() => fake.expectCredits(...read(given))),
    },
    'POST expect/requests': {
      summary: 'Answers 409 unless exactly these requests arrived.',
      takes,
      answers,
      run: (given) => ok(() => fake.expectRequests(...read(given))),
    },
    'POST expect/no-unused-faults': {
      summary: 'Answers 409 if a fault has hits left.',
      answers,
      run: () => ok(fake.expectNoUnusedFaults),
    },
  }
}
