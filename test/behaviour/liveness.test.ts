import fc from 'fast-check'
import { expect } from 'vitest'
import { busy, costs, limited, networkError, ok, price, refusal, wait } from '../support/answers.ts'
import { testProperty } from '../support/property.ts'
import { address, setup, watch } from '../support/setup.ts'

type Fault = 'none' | '429' | 'silent 429' | 'busy' | '500' | 'reset' | 'never'

const faultLists = fc.array(fc.constantFrom<Fault>('none', '429', 'silent 429', 'busy', '500', 'reset', 'never'), {
  maxLength: 12,
})
const arrivals = fc.array(fc.record({ heavy: fc.boolean(), after: fc.nat({ max: 1_500 }), late: fc.boolean() }), {
  minLength: 1,
  maxLength: 15,
})

const heavy = (after: number, late = false) => ({ heavy: true, after, late })
/** Two heavy calls that held a permit each and gave it up for the other, for ever. */
const PASSED_FOR_EVER: [ReturnType<typeof heavy>[], Fault[], number] = [
  [
    heavy(1_130),
    { ...heavy(86), heavy: false },
    heavy(1_415, true),
    heavy(451),
    heavy(951),
    heavy(179),
    heavy(487, true),
    heavy(747, true),
    heavy(467),
    heavy(1_278),
    heavy(1_230, true),
  ],
  ['silent 429', 'busy', 'busy', 'reset', '500', 'never', 'reset', '500', 'reset', 'busy'],
  0.5,
]

testProperty(
  'every call ends once the service recovers, in any order of calls, refusals and late timers',
  fc.asyncProperty(arrivals, faultLists, fc.constantFrom(0, 0.5, 0.99), async (calls, faults, randomValue) => {
    const { client, clock, script } = setup(
      ({ number, url }) => {
        const heavy = url.pathname.includes('locks')
        const fault = faults[number - 1] ?? 'none'
        if (fault === 'never') return undefined
        if (fault === 'reset') return networkError('ECONNRESET')
        if (fault === '429') return limited(wait(1))
        if (fault === 'silent 429') return limited()
        if (fault === '500') return refusal(500, 'x')
        if (fault === 'busy' && heavy) return busy(wait(2))
        return heavy ? ok([], costs(2_000)) : ok(price(address(1)), costs(50))
      },
      { retry: { limit: 20 }, timeoutMs: 3_000, deadlineMs: 10 * 60_000 },
    )
    clock.randomValue = randomValue
    const outcomes = []
    for (const [index, { heavy, after, late }] of calls.entries()) {
      if (late) clock.jump(after)
      else await clock.advance(after)
      const params = { address: address(index) }
      outcomes.push(watch<unknown>(heavy ? client.locks.get(params) : client.token.price(params)))
    }
    // Much shorter than the deadline, which ends every call.
    await clock.advance(5 * 60_000)
    expect(outcomes.map(({ state }) => state)).toEqual(outcomes.map(() => 'resolved'))
    expect(script.open).toHaveLength(0)
    expect(clock.pending).toBe(0)
  }),
  { cases: 25, examples: [PASSED_FOR_EVER] },
)
