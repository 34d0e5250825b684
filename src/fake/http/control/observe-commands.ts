import type { Expected } from '../../rules/expect.ts'
import { type FakeFilter, FILTER } from '../../rules/ledger.ts'
import { count, flag, object } from '../../rules/schemas.ts'
import type { FakeService } from '../../types.ts'
import type { Commands, Fields } from './command.ts'
import { PAGE, page } from './page-of-list.ts'
import { answer, ref } from './schemas.ts'

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
