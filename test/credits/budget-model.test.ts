import fc from 'fast-check'
import { expect } from 'vitest'
import { createBudget, type MemoryBudget, type Reservation } from '../../src/credits/budget.ts'
import { BudgetExceededError } from '../../src/errors/budget.ts'
import { type Drawn, testProperty, weighted } from '../support/property.ts'

/** One line of the model: totals are computed from all lines each time. */
interface Line {
  window: number
  readonly credits: number
  end: 'open' | 'spent' | 'uncertain' | 'released'
  charged: number
}

const owner = fc.constantFrom(0, 1)
const which = fc.nat(30)
/** A charge against the reservation: below, exactly, above. */
const charged = fc.oneof(fc.nat(40), fc.integer({ min: 20, max: 200 }))
const step = fc.oneof(
  weighted(5, { do: fc.constant('reserve'), owner, credits: fc.nat(40) }),
  weighted(3, { do: fc.constant('confirm'), owner, which }),
  weighted(3, { do: fc.constant('settle'), owner, which, charged }),
  weighted(2, { do: fc.constantFrom('markUncertain', 'release'), owner, which }),
  weighted(1, { do: fc.constant('wait'), ms: fc.nat(250) }),
)
type Step = Drawn<typeof step>

const WINDOW_MS = 100
const START = 1_800_000_000_123

function run(steps: readonly Step[], limit: number, windowMs: number | undefined, mayExceed: boolean): void {
  let elapsed = 0
  // The wall clock is set back and forward all the time; the windows follow the monotonic clock.
  const clock = { now: () => START + elapsed - (elapsed % 7) * 1000, monotonic: () => elapsed }
  const shared: MemoryBudget = createBudget({ credits: limit, windowMs }, clock)
  const alone: MemoryBudget = createBudget({ credits: limit, windowMs }, clock)
  const lines: Line[] = []
  /** Every reservation ever made, decided ones too, so that some are decided twice or after their window. */
  const held: [{ line: Line; reservation: Reservation }[], { line: Line; reservation: Reservation }[]] = [[], []]
  const windowNow = () => (windowMs === undefined ? 0 : Math.floor(elapsed / windowMs))

  const totalsOf = (window: number) => {
    const counted = lines.filter((line) => line.window === window)
    const sum = (end: Line['end'], of: 'credits' | 'charged') =>
      counted.filter((line) => line.end === end).reduce((total, line) => total + line[of], 0)
    const [spent, reserved, uncertain] = [sum('spent', 'charged'), sum('open', 'credits'), sum('uncertain', 'credits')]
    const exceeded = counted.some((line) => line.end === 'spent' && line.charged > line.credits)
    return { spent, reserved, uncertain, available: Math.max(0, limit - spent - reserved - uncertain), exceeded }
  }
  /** After each step; compared once, because that is many times as fast. */
  const seen: object[] = []
  const expected: object[] = []
  const attempt = (credits: number, send: () => void): boolean => {
    expected.push({ fits: credits <= totalsOf(windowNow()).available })
    try {
      send()
      seen.push({ fits: true })
      return true
    } catch (error) {
      if (!(error instanceof BudgetExceededError)) throw error
      seen.push({ fits: false })
      return false
    }
  }

  for (const what of steps) {
    if (what.do === 'wait') {
      elapsed += what.ms
    } else if (what.do === 'reserve') {
      attempt(what.credits, () => shared.check(what.credits))
      attempt(what.credits, () => {
        const reservation = shared.reserve(what.credits)
        const line: Line = { window: windowNow(), credits: what.credits, end: 'open', charged: 0 }
        lines.push(line)
        held[what.owner].push({ line, reservation })
      })
    } else {
      const mine = held[what.owner]
      const target = mine[what.which % mine.length]
      if (target === undefined) continue
      const { line, reservation } = target
      const isOpen = line.end === 'open'
      if (what.do === 'confirm') {
        if (!isOpen) expect(() => reservation.confirm()).toThrow('reserve again')
        else if (line.window !== windowNow()) {
          if (attempt(line.credits, () => reservation.confirm())) line.window = windowNow()
          else line.end = 'released'
        } else reservation.confirm()
      } else if (what.do === 'settle') {
        const amount = mayExceed ? what.charged : Math.min(what.charged, line.credits)
        reservation.settle(amount)
        if (isOpen) Object.assign(line, { end: 'spent', charged: amount })
      } else {
        reservation[what.do]()
        if (isOpen) line.end = what.do === 'markUncertain' ? 'uncertain' : 'released'
      }
    }
    const { exceeded, ...totals } = totalsOf(windowNow())
    const { spent, reserved, uncertain, available, resetsAt } = shared
    const left = windowMs === undefined ? 0 : (windowNow() + 1) * windowMs - elapsed
    const isWithin = exceeded || spent + reserved + uncertain <= limit
    const other = [alone.spent, alone.reserved, alone.uncertain, alone.available]
    seen.push({ spent, reserved, uncertain, available, resetsAt, isWithin, other })
    expected.push({
      ...totals,
      resetsAt: windowMs === undefined ? undefined : clock.now() + left,
      isWithin: true,
      other: [0, 0, 0, limit],
    })
  }
  expect(seen).toEqual(expected)
  for (const window of new Set(lines.map((line) => line.window))) {
    const { spent, reserved, uncertain, exceeded } = totalsOf(window)
    if (!exceeded) expect(spent + reserved + uncertain).toBeLessThanOrEqual(limit)
  }
}

const plans = fc.array(step, { maxLength: 60, size: 'max' })
const limits = fc.oneof(fc.nat(120), fc.constant(0))

testProperty(
  'two owners of one budget never exceed its limit, in any window, and its totals are those of a list of all reservations, also when the service charges more than was reserved',
  fc.property(plans, limits, fc.constantFrom(undefined, WINDOW_MS), fc.boolean(), run),
  { cases: 200 },
)
