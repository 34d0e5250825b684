import fc from 'fast-check'
import { expect } from 'vitest'
import type { View } from '../../src/redis/view.ts'
import { type Drawn, testProperty, weighted } from '../support/property.ts'
import { configOf, createView, START, useScripts, WINDOW_MS } from './scripts/setup.ts'

const scripts = useScripts()
const LIMIT = 1_000
/** No lease ends within a case. */
const config = configOf(LIMIT, WINDOW_MS, 1_000_000)
const MEMBERS = 3

const member = fc.nat(MEMBERS - 1)
const which = fc.nat(20)
const step = fc.oneof(
  weighted(8, { do: fc.constant('reserve'), member, credits: fc.integer({ min: 1, max: 400 }) }),
  weighted(6, { do: fc.constantFrom('settle', 'settle', 'lose', 'release'), which, share: fc.nat(100) }),
  weighted(2, { do: fc.constant('snapshot') }),
  weighted(2, { do: fc.constant('crash') }),
  weighted(2, { do: fc.constant('initialize'), member }),
  weighted(1, { do: fc.constant('wait'), ms: fc.nat(700) }),
)
type Step = Drawn<typeof step>

interface Held {
  readonly id: string
  readonly view: View
  readonly credits: number
  readonly window: number
}

let refusals = 0

async function run(steps: readonly Step[]): Promise<void> {
  await scripts.redis.flushall()
  let now = START
  scripts.at(now)
  const views = Array.from({ length: MEMBERS }, createView)
  const viewOf = (index: number) => views[index] as View
  /** What the service charged, or may have charged, by the window in which the request was sent. */
  const charged = new Map<number, number>()
  const held: Held[] = []
  const { seen: first } = await scripts.initialize(config)
  for (const view of views) view.remember(first)
  let restore = await scripts.snapshot()

  for (const [index, what] of steps.entries()) {
    const id = `id-${index}`
    if (what.do === 'wait') {
      now += what.ms
      scripts.at(now)
    } else if (what.do === 'snapshot') {
      restore = await scripts.snapshot()
    } else if (what.do === 'crash') {
      await restore()
      // Each member still asks for something before anybody initializes.
      for (const [number, { seen }] of views.entries())
        await scripts.reserve(`${id}-${number}`, 0, { config, seen }).catch(() => {})
    } else if (what.do === 'initialize') {
      const view = viewOf(what.member)
      view.remember((await scripts.initialize(config, { seen: view.seen })).seen)
    } else if (what.do === 'reserve') {
      const view = viewOf(what.member)
      try {
        const { verdict, seen, window } = await scripts.reserve(id, what.credits, { config, seen: view.seen })
        view.remember(seen)
        if (verdict === 'granted') held.push({ id, view, credits: what.credits, window })
      } catch (error) {
        refusals++
        expect(String(error)).toContain('STATELOST')
      }
    } else {
      const [one] = held.splice(what.which % (held.length || 1), 1)
      if (one === undefined) continue
      const { id, view, credits, window } = one
      const cost = what.do === 'release' ? 0 : what.do === 'lose' ? credits : Math.ceil((credits * what.share) / 100)
      charged.set(window, (charged.get(window) ?? 0) + cost)
      const decision = ({ settle: 's', lose: 'u', release: 'f' } as const)[what.do]
      const details = { credits, window, seen: view.seen }
      const { seen } = await scripts.settle(id, decision, what.do === 'settle' ? cost : 0, details)
      if (seen !== '') view.remember(seen)
    }
    expect(Math.max(0, ...charged.values())).toBeLessThanOrEqual(LIMIT)
  }
}

testProperty(
  'no window is charged more than the limit, whatever snapshots Redis starts from, where each member asks for something before initialize()',
  () => fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60, size: 'max' }), run),
  { cases: 40, afterAll: () => expect(refusals).toBeGreaterThan(100) },
)
