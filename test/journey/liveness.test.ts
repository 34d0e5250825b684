import fc from 'fast-check'
import { expect, test } from 'vitest'
import { busy, costs, limited, networkError, ok, price, refusal, wait } from '../support/answers.ts'
import { address, setup, watch } from '../support/setup.ts'

type Trouble = 'none' | '429' | 'silent 429' | 'busy' | '500' | 'reset' | 'never'

const troubles = fc.array(fc.constantFrom<Trouble>('none', '429', 'silent 429', 'busy', '500', 'reset', 'never'), {
  maxLength: 12,
})
const arrivals = fc.array(fc.record({ heavy: fc.boolean(), after: fc.nat({ max: 1_500 }), late: fc.boolean() }), {
  minLength: 1,
  maxLength: 15,
})

test('once the service is well again nobody is left waiting, whatever the order of calls, refusals and late timers', async () => {
  await fc.assert(
    fc.asyncProperty(arrivals, troubles, fc.constantFrom(0, 0.5, 0.99), async (calls, ills, luck) => {
      const { client, clock, script } = setup(
        ({ number, url }) => {
          const heavy = url.pathname.includes('locks')
          const ill = ills[number - 1] ?? 'none'
          if (ill === 'never') return undefined
          if (ill === 'reset') return networkError('ECONNRESET')
          if (ill === '429') return limited(wait(1))
          if (ill === 'silent 429') return limited()
          if (ill === '500') return refusal(500, 'x')
          if (ill === 'busy' && heavy) return busy(wait(2))
          return heavy ? ok([], costs(2_000)) : ok(price(address(1)), costs(50))
        },
        { retry: { limit: 20 }, timeoutMs: 3_000, deadlineMs: 10 * 60_000 },
      )
      clock.luck = luck
      const outcomes = []
      for (const [index, { heavy, after, late }] of calls.entries()) {
        if (late) clock.jump(after)
        else await clock.advance(after)
        const params = { address: address(index) }
        outcomes.push(watch<unknown>(heavy ? client.locks.get(params) : client.token.price(params)))
      }
      // Far less than the deadline, which would end them all.
      await clock.advance(5 * 60_000)
      expect(outcomes.map(({ state }) => state)).toEqual(outcomes.map(() => 'resolved'))
      expect(script.open).toHaveLength(0)
      expect(clock.pending).toBe(0)
    }),
    { numRuns: 300 },
  )
}, 60_000)
