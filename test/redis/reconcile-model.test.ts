import fc from 'fast-check'
import { expect } from 'vitest'
import type { MemoryReservation } from '../../src/credits/budget.ts'
import { createMemoryBudget } from '../../src/credits/budget-core.ts'
import { KeyBalances } from '../../src/credits/reconcile.ts'
import { type Drawn, testProperty, weighted } from '../support/property.ts'
import { configOf, DELAY_MS, START, useScripts } from './scripts/setup.ts'
import { WindowsModel } from './windows-model.ts'

const scripts = useScripts()
const LIMIT = 1_000_000
const WINDOW_MS = 4_000
/** No lease ends within a case. */
const CONFIG = configOf(LIMIT, WINDOW_MS, 1_000_000)
const TOP_UP = 10_000_000

const key = fc.constantFrom(...Array<string>(8).fill('one'), 'other', 'other', 'other', '')
const which = fc.nat(20)
const step = fc.oneof(
  weighted(6, { do: fc.constant('send'), key, credits: fc.integer({ min: 1, max: 300 }) }),
  weighted(9, { do: fc.constantFrom('settle', 'lose', 'lose', 'release'), which }),
  weighted(3, { do: fc.constant('execute late'), which }),
  weighted(1, { do: fc.constant('storm'), key, stepMs: fc.constantFrom(0, 5, 30) }),
  weighted(10, { do: fc.constant('read'), key }),
  weighted(1, { do: fc.constant('top up'), key }),
  weighted(5, { do: fc.constant('move'), ms: fc.integer({ min: 0, max: 500 }) }),
  weighted(1, { do: fc.constant('move'), ms: fc.integer({ min: -3_000, max: 5_000 }) }),
)
type Step = Drawn<typeof step>

/** A clock that visits few windows, so that a budget of one process counts none of them together with another. */
const MIN = START - 2 * WINDOW_MS
const MAX = START + 5 * WINDOW_MS

interface Sent {
  readonly id: string
  readonly key: string
  readonly credits: number
  readonly sentAt: number
  readonly reservation: MemoryReservation
}

let shown = 0
let freed = 0

async function run(steps: readonly Step[]): Promise<void> {
  await scripts.redis.flushall()
  let now = START
  scripts.at(now)
  await scripts.initialize(CONFIG)
  // Its windows begin at multiples of their length, as those of a fleet.
  const windows = new WindowsModel(WINDOW_MS, 0, () => now)
  const keyBalances = new KeyBalances(windows, () => now, DELAY_MS)
  const budget = createMemoryBudget({ limit: LIMIT, windows, keyBalances, now: () => now })
  await scripts.reserve('first', 0, { config: CONFIG })
  const balances: Record<string, number> = { one: 50_000_000, other: 7_000_000, '': 1_000_000 }
  const charge = (key: string, credits: number) => {
    balances[key] = (balances[key] ?? 0) - credits
  }
  const inFlight: Sent[] = []
  const lost: Sent[] = []
  let ids = 0
  const moveTo = (moment: number) => {
    now = Math.min(MAX, Math.max(MIN, moment))
    scripts.at(now)
  }
  const send = async (key: string, credits: number) => {
    const id = `id-${++ids}`
    const reservation = budget.reserve(credits)
    reservation.confirm({}, key)
    await scripts.reserve(id, credits, { config: CONFIG, key })
    inFlight.push({ id, key, credits, sentAt: now, reservation })
  }
  const end = async ({ id, key, credits, sentAt, reservation }: Sent, decision: 's' | 'u' | 'f') => {
    if (decision === 's') reservation.settle(credits)
    else if (decision === 'u') reservation.markUncertain()
    else reservation.release()
    await scripts.settle(id, decision, decision === 's' ? credits : 0, { sentMs: now - sentAt, key })
  }
  const read = async (key: string) => {
    const remaining = balances[key] ?? 0
    const free = budget.reserve(0)
    free.confirm({}, key)
    const proof = free.settle(0, { remaining })
    const [state, ...quiet] = await scripts.reconcile([], { config: CONFIG })
    expect(state).toBe('quiet')
    const [verdict, charged, available] = await scripts.reconcile([...quiet, remaining, key], { config: CONFIG })
    const proven = verdict === 'proven' ? { charged: Number(charged), freed: Number(available) } : undefined
    expect(proof ?? { charged: 0, freed: 0 }).toEqual(proven ?? { charged: 0, freed: 0 })
    shown += proof?.charged ?? 0
    freed += proof?.freed ?? 0
  }

  for (const what of steps) {
    const pick = (from: Sent[]) => ('which' in what ? from.splice(what.which % (from.length || 1), 1) : [])
    if (what.do === 'move') moveTo(now + what.ms)
    else if (what.do === 'send') await send(what.key, what.credits)
    else if (what.do === 'top up') charge(what.key, -TOP_UP)
    else if (what.do === 'storm') {
      for (let number = 0; number < 40; number++) {
        await send(what.key, 3)
        for (const one of inFlight.splice(-1)) await end(one, 'u')
        moveTo(now + what.stepMs)
      }
    } else if (what.do === 'read') {
      // A fleet looks at all keys together.
      for (const one of inFlight.splice(0)) await end(one, 'f')
      if (what.key !== '') await read(what.key)
    } else if (what.do === 'execute late') {
      for (const { key, credits } of pick(lost)) charge(key, credits)
    } else {
      for (const one of pick(inFlight)) {
        if (what.do === 'settle') charge(one.key, one.credits)
        await end(one, what.do === 'settle' ? 's' : what.do === 'lose' ? 'u' : 'f')
        if (what.do === 'lose') lost.push(one)
      }
    }
    const { spent, reserved, uncertain } = budget
    expect((await scripts.reserve(`free-${++ids}`, 0, { config: CONFIG })).totals).toEqual([spent, reserved, uncertain])
  }
}

testProperty(
  'a fleet counts what a balance shows, and frees what was lost, as a budget of one process does, whatever is lost, charged late, topped up or sent without a key',
  () => fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60, size: 'max' }), run),
  { cases: 25, afterAll: () => expect(Math.min(shown, freed)).toBeGreaterThan(150) },
)
