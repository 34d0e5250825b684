import fc from 'fast-check'
import { expect } from 'vitest'
import { type Drawn, testProperty, weighted } from '../support/property.ts'
import { LEASE_MS, START, useScripts, WINDOW_MS } from './scripts/setup.ts'

const scripts = useScripts()
const LIMIT = 1_000

/** One reservation of any member, as the model knows it: totals are computed from all of them each time. */
interface Line {
  readonly id: string
  readonly credits: number
  window: number
  leaseEnds: number
  end: 'open' | 'spent' | 'uncertain' | 'released'
  charged: number
}

const which = fc.nat(30)
const credits = fc.integer({ min: 1, max: 450 })
const step = fc.oneof(
  weighted(6, { do: fc.constant('reserve'), credits }),
  weighted(4, { do: fc.constant('settle'), which, charged: fc.nat(450) }),
  weighted(5, {
    do: fc.constantFrom('release', 'markUncertain', 'confirm', 'renew'),
    which,
  }),
  weighted(1, { do: fc.constant('release first'), credits }),
  // A process that dies makes no step any more: its lease ends during a wait.
  weighted(3, { do: fc.constant('wait'), ms: fc.nat(700) }),
)
type Step = Drawn<typeof step>

async function run(steps: readonly Step[]): Promise<void> {
  await scripts.redis.flushall()
  let now = START
  scripts.at(now)
  await scripts.initialize()
  const lines: Line[] = []
  const windowNow = () => Math.floor(now / WINDOW_MS)
  const isHeld = (line: Line) => line.end === 'open' && line.leaseEnds > now
  const totalsOf = (window: number) => {
    const counted = lines.filter((line) => line.window === window)
    const sum = (of: readonly Line[]) => of.reduce((total, line) => total + line.credits, 0)
    const spent = counted.filter(({ end }) => end === 'spent').reduce((total, { charged }) => total + charged, 0)
    const open = counted.filter(({ end }) => end === 'open')
    const lost = [...counted.filter(({ end }) => end === 'uncertain'), ...open.filter((line) => !isHeld(line))]
    return [spent, sum(open.filter(isHeld)), sum(lost)]
  }
  const available = () => LIMIT - totalsOf(windowNow()).reduce((total, credits) => total + credits, 0)

  for (const [index, what] of steps.entries()) {
    if (what.do === 'wait') {
      now += what.ms
      scripts.at(now)
    } else if (what.do === 'reserve' || what.do === 'release first') {
      const id = `id-${index}`
      if (what.do === 'release first') await scripts.settle(id, 'f')
      const fits = what.credits <= available()
      const { verdict } = await scripts.reserve(id, what.credits)
      if (what.do === 'release first') expect(verdict).toBe('decided')
      else expect(verdict).toBe(fits ? 'granted' : 'refused')
      if (verdict === 'granted') {
        const leaseEnds = now + LEASE_MS
        lines.push({ id, credits: what.credits, window: windowNow(), leaseEnds, end: 'open', charged: 0 })
      }
    } else {
      const line = lines[what.which % lines.length]
      if (line === undefined) continue
      const { id, credits } = line
      const isOpen = line.end === 'open'
      if (what.do === 'settle') {
        const charged = Math.min(what.charged, credits)
        expect((await scripts.settle(id, 's', charged)).verdict).toBe(isOpen ? 's' : 'repeated')
        if (isOpen) Object.assign(line, { end: 'spent', charged })
      } else if (what.do === 'release' || what.do === 'markUncertain') {
        await scripts.settle(id, what.do === 'release' ? 'f' : 'u')
        if (isOpen) line.end = what.do === 'release' ? 'released' : 'uncertain'
      } else if (what.do === 'renew') {
        // A lease that ended lasts again only where no script has looked since.
        if (isHeld(line)) expect(await scripts.renew(id)).toEqual([1])
        if (isHeld(line)) line.leaseEnds = now + LEASE_MS
      } else {
        const inPlace = line.window === windowNow()
        const fits = inPlace || credits <= available()
        const { verdict } = await scripts.reserve(id, credits)
        expect(verdict).toBe(isOpen ? (fits ? 'granted' : 'refused') : 'decided')
        if (verdict === 'granted') Object.assign(line, { window: windowNow(), leaseEnds: now + LEASE_MS })
        if (verdict === 'refused') line.end = 'released'
      }
    }
    const { totals } = await scripts.status()
    expect(totals).toEqual(totalsOf(windowNow()))
    expect(totals.reduce((sum, credits) => sum + credits, 0)).toBeLessThanOrEqual(LIMIT)
  }
  const counts = await scripts.redis.hgetall(scripts.keys.ledger[0] as string)
  expect(Object.values(counts).filter((count) => count.startsWith('-'))).toEqual([])
  // The window before is complete too, whatever was decided in it late.
  const before = Number(counts.before)
  if (counts.before !== undefined) expect(Number(counts[`s${before}`] ?? 0)).toBe(totalsOf(before)[0])
}

testProperty(
  'the totals are those of a list of all reservations, and never exceed the limit, whatever members do and whenever they die',
  () => {
    const plans = fc.array(step, { maxLength: 50, size: 'max' })
    return fc.asyncProperty(plans, run)
  },
  { cases: 25 },
)
