import { BudgetExceededError, createBudget, createClient, type FetchLike } from 'etn-market'
import { createFakeService, fakeTokens } from 'etn-market/fake'
import fc from 'fast-check'
import { expect } from 'vitest'
import { createVirtualClock } from '../support/clock.ts'
import { testProperty } from '../support/property.ts'
import { watch } from '../support/setup.ts'
import { omitStacks } from '../support/short-stacks.ts'

omitStacks()

const KEY = 'esk_live_a_key'
const LIMIT = 4_100
const ADDRESS = fakeTokens.BOLT

let clock = createVirtualClock()
/** All cases share its data, which takes longer to make than a case. */
const fake = createFakeService({
  seed: 1,
  keys: { [KEY]: { credits: 1_000_000 } },
  clock: { now: () => clock.now(), sleep: (ms, signal) => clock.sleep(ms, signal) },
})

/** A service that executes what it gets some time later, and charges it then, whether or not anybody still waits. */
function createLateService(lateMs: () => number) {
  return {
    charged: () => fake.charged(),
    fetch(url: string, { headers, signal }: Parameters<FetchLike>[1]): Promise<Response> {
      const execute = () => fake.fetch(url, { headers })
      const answer = lateMs() > 0 ? clock.sleep(lateMs()).then(execute) : execute()
      const left = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
      })
      return Promise.race([answer, left])
    },
  }
}

/** How one round goes: a request that is left, a look at the balance, and spending. */
interface Round {
  /** When the service executes the request that is left. */
  readonly lateMs: number
  /** When the caller leaves it. */
  readonly waitMs: number
  readonly timeoutMs: number
}

async function play(rounds: readonly Round[]): Promise<void> {
  clock = createVirtualClock()
  fake.reset()
  let lateMs = 0
  const service = createLateService(() => lateMs)
  const budget = createBudget({ credits: LIMIT, exclusiveKey: true }, clock)
  const client = createClient({ apiKey: KEY, budget, clock, fetch: service.fetch })
  await client.account.me()
  for (const { waitMs, timeoutMs, ...round } of rounds) {
    lateMs = round.lateMs
    const stopping = new AbortController()
    const left = watch(client.locks.get({ address: ADDRESS }, { retry: false, timeoutMs, signal: stopping.signal }))
    await clock.advance(waitMs)
    stopping.abort()
    lateMs = 0
    await clock.advance(1)
    expect(left.state).not.toBe('pending')
    await client.account.me()
    await client.etn.price().catch((error) => expect(error).toBeInstanceOf(BudgetExceededError))
    expect(service.charged()).toBeLessThanOrEqual(budget.spent + budget.uncertain)
  }
  await clock.advance(60_000)
  expect(service.charged()).toBeGreaterThan(0)
  expect(service.charged()).toBeLessThanOrEqual(LIMIT)
  // Whatever was lost is charged by now, or never will be.
  await client.account.me()
  expect(budget).toMatchObject({ spent: service.charged(), uncertain: 0 })
  await client.close()
}

const LEFT = Array<Round>(30).fill({ lateMs: 400, waitMs: 120, timeoutMs: 60_000 })
const TIMED_OUT = Array<Round>(30).fill({ lateMs: 400, waitMs: 120, timeoutMs: 100 })

testProperty(
  'whenever requests are left, and whenever the service executes them within a minute, the limit holds, and a minute later the budget is exact',
  fc.asyncProperty(
    fc.array(
      fc.record({
        lateMs: fc.constantFrom(0, 10, 400, 5_000, 30_000, 59_999),
        waitMs: fc.constantFrom(1, 120, 2_000, 20_000, 61_000),
        timeoutMs: fc.constantFrom(100, 5_000, 60_000),
      }),
      { minLength: 5, maxLength: 30, size: 'max' },
    ),
    play,
  ),
  { cases: 5, examples: [[LEFT], [TIMED_OUT]] },
)
