import type { Client } from 'etn-market'
import fc from 'fast-check'
import { expect } from 'vitest'
import { flush } from '../support/clock.ts'
import { type Answer, chargeFor, serve } from '../support/ledger.ts'
import { testProperty } from '../support/property.ts'
import type { Exchange } from '../support/script.ts'
import { address, addresses, setup, watch } from '../support/setup.ts'
import { omitStacks } from '../support/short-stacks.ts'

omitStacks()

const LIMIT = 3_000

type Step =
  | { do: 'price' | 'list' | 'batch' | 'balances'; number: number; caller: number }
  | { do: 'answer'; which: number; how: Answer }
  | { do: 'abort'; caller: number }
  | { do: 'wait'; ms: number }

const caller = fc.nat({ max: 3 })
const answers = fc.constantFrom<Answer>(
  'ok',
  'ok',
  'silent',
  'cut',
  'cut with header',
  'stalled',
  'lost',
  'refused',
  'gateway',
  '404',
  '429',
  '500',
  'garbled',
  'never',
)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('price', 'list', 'batch', 'balances'),
      number: fc.nat({ max: 9 }),
      caller,
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('answer'), which: fc.nat({ max: 9 }), how: answers }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('abort'), caller }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait'), ms: fc.nat({ max: 5_000 }) }) },
)

function ask(client: Client, step: Extract<Step, { number: number }>, signal: AbortSignal): Promise<unknown> {
  const { number } = step
  if (step.do === 'price') return client.token.price({ address: address(number) }, { signal })
  if (step.do === 'list') return client.token.list({ limit: number + 1 }, { signal })
  if (step.do === 'balances') return client.balances.get({ address: address(number) }, { signal })
  return client.prices.batch({ addresses: addresses(1 + number * 12) }, { signal })
}

testProperty(
  'the budget never exceeds its limit and never counts less than the service charged, in any order of events',
  fc.asyncProperty(
    fc.array(step, { minLength: 1, maxLength: 40 }),
    fc.double({ min: 0, max: 0.99, noNaN: true }),
    async (steps, randomValue) => {
      const { client, clock, script } = setup(undefined, {
        budget: { credits: LIMIT },
        timeoutMs: 4_000,
        deadlineMs: 20_000,
      })
      clock.randomValue = randomValue
      const callers = Array.from({ length: 4 }, () => new AbortController())
      const ledger = new Map<Exchange, number>()
      const holds = () => {
        const { spent, reserved, uncertain, available } = client.budget
        expect(Math.min(spent, reserved, uncertain)).toBeGreaterThanOrEqual(0)
        expect(spent + reserved + uncertain).toBeLessThanOrEqual(LIMIT)
        expect(available).toBe(LIMIT - spent - reserved - uncertain)
      }
      const outcomes: { state: string }[] = []
      for (const next of steps) {
        if (next.do === 'abort') {
          callers[next.caller]?.abort()
          callers[next.caller] = new AbortController()
        } else if (next.do === 'wait') await clock.advance(next.ms)
        else if (next.do === 'answer') {
          const open = script.open.filter((exchange) => !ledger.has(exchange))
          const exchange = open[next.which % Math.max(1, open.length)]
          if (exchange !== undefined) ledger.set(exchange, serve(exchange, next.how))
        } else outcomes.push(watch(ask(client, next, callers[next.caller]!.signal)))
        holds()
        await flush()
        holds()
      }
      // The service executes a request also when its answer is lost.
      for (let turn = 0; turn < 100 && outcomes.some(({ state }) => state === 'pending'); turn++) {
        await clock.advance(1_000)
        holds()
      }
      for (const exchange of script.requests) if (!ledger.has(exchange)) ledger.set(exchange, chargeFor(exchange))
      expect(outcomes.filter(({ state }) => state === 'pending')).toEqual([])
      const { spent, uncertain, reserved } = client.budget
      const charged = [...ledger.values()].reduce((sum, credits) => sum + credits, 0)
      expect(reserved).toBe(0)
      expect(charged).toBeLessThanOrEqual(spent + uncertain)
      expect(client.credits.charged).toBe(spent)
      expect(client.credits.uncertain).toBe(uncertain)
      expect(clock.pending).toBe(0)
    },
  ),
  { cases: 300 },
)
