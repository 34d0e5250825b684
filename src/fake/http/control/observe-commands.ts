import type { Expected } from '../../rules/expect.ts'
import type { FakeFilter } from '../../rules/ledger.ts'
import { fakeOperations } from '../../rules/routes.ts'
import type { FakeService } from '../../types.ts'
import type { Commands, Fields } from './command.ts'
import { page } from './page-of-list.ts'

/** Reading what happened. */
export function readingCommands(fake: FakeService): Commands {
  const filterOf = ({ operation, key }: Fields): FakeFilter =>
    ({ ...(operation === undefined ? {} : { operation }), ...(key === undefined ? {} : { key }) }) as FakeFilter
  const fields = ['operation', 'key', 'limit', 'after', 'last']
  return {
    'GET health': { summary: 'Whether the fake runs.', fields: [], run: () => ({ ok: true, now: fake.now() }) },
    'GET ledger': {
      summary: 'The charges; `after` is the number of a request, `last` asks for the newest.',
      fields,
      run: (given) => page(fake.ledger(filterOf(given)), ({ request }) => request, given),
    },
    'GET journal': {
      summary: 'The requests; `after` is the id of one, `last` asks for the newest.',
      fields,
      run: (given) => page(fake.journal(filterOf(given)), ({ id }) => id, given),
    },
    'GET totals': {
      summary: 'Charged credits, and the maximum of requests in flight.',
      fields: ['operation', 'key'],
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
  const ok = { ok: true }
  const read = (given: Fields) => {
    const { expected, ...filter } = given
    if (expected === undefined)
      throw new TypeError(`expected is a number, or amounts by operation (${fakeOperations[0]} …).`)
    return [expected as Expected, filter as FakeFilter] as const
  }
  const fields = ['expected', 'operation', 'key']
  return {
    'POST expect/credits': {
      summary: 'Answers 409 unless exactly these credits were charged.',
      fields,
      run(given) {
        fake.expectCredits(...read(given))
        return ok
      },
    },
    'POST expect/requests': {
      summary: 'Answers 409 unless exactly these requests arrived.',
      fields,
      run(given) {
        fake.expectRequests(...read(given))
        return ok
      },
    },
    'POST expect/no-unused-faults': {
      summary: 'Answers 409 if a fault has hits left.',
      fields: [],
      run() {
        fake.expectNoUnusedFaults()
        return ok
      },
    },
  }
}
