import { cut, FakeUsageError } from '../../rules/check-options.ts'
import type { Expected } from '../../rules/expect.ts'
import { type FakeFilter, FILTER } from '../../rules/ledger.ts'
import { count, flag, numberFrom1, object, type Schema } from '../../rules/schema.ts'
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
export const PAGE: Record<string, Schema> = { limit: numberFrom1, after: count, last: numberFrom1 }

/** The part of a list that `after`, `last` and `limit` ask for. */
export function page<T>(all: T[], idOf: (one: T) => number, fields: Fields): T[] {
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
