import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Budget, createBudget, type Reservation } from '../../src/credits/budget.ts'
import { BudgetExceededError } from '../../src/errors/index.ts'

type Step =
  | { do: 'reserve'; owner: 0 | 1; credits: number }
  | { do: 'settle'; owner: 0 | 1; which: number; charged: number }
  | { do: 'lose' | 'release'; owner: 0 | 1; which: number }
  | { do: 'wait'; ms: number }

/** One line of the model's book: it is never changed but for its end, and every total is counted anew from all lines. */
interface Line {
  readonly window: number
  readonly credits: number
  end: 'open' | 'spent' | 'uncertain' | 'released'
  charged: number
}

const owner = fc.constantFrom(0 as const, 1 as const)
const which = fc.nat(30)
/** A charge against the reservation: below, exactly, above. */
const charged = fc.oneof(fc.nat(40), fc.integer({ min: 20, max: 200 }))
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('reserve' as const), owner, credits: fc.nat(40) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('settle' as const), owner, which, charged }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('lose' as const, 'release' as const), owner, which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(250) }) },
)

const WINDOW_MS = 100
const START = 1_800_000_000_123

function run(steps: readonly Step[], limit: number, windowMs: number | undefined, mayExceed: boolean): void {
  let now = START
  const clock = { now: () => now }
  const shared: Budget = createBudget({ credits: limit, windowMs }, clock)
  const alone: Budget = createBudget({ credits: limit, windowMs }, clock)
  const book: Line[] = []
  /** Every reservation ever made, ended ones too, so that ends come twice and after the roll-over. */
  const held: [{ line: Line; reservation: Reservation }[], { line: Line; reservation: Reservation }[]] = [[], []]
  const windowNow = () => (windowMs === undefined ? 0 : Math.floor((now - START) / windowMs))

  const totals = () => {
    const lines = book.filter((line) => line.window === windowNow())
    const sum = (end: Line['end'], of: 'credits' | 'charged') =>
      lines.filter((line) => line.end === end).reduce((total, line) => total + line[of], 0)
    const [spent, reserved, uncertain] = [sum('spent', 'charged'), sum('open', 'credits'), sum('uncertain', 'credits')]
    const exceeded = lines.some((line) => line.end === 'spent' && line.charged > line.credits)
    return { spent, reserved, uncertain, available: Math.max(0, limit - spent - reserved - uncertain), exceeded }
  }

  for (const what of steps) {
    if (what.do === 'wait') {
      now += what.ms
    } else if (what.do === 'reserve') {
      const { available } = totals()
      try {
        const reservation = shared.reserve(what.credits)
        expect(what.credits).toBeLessThanOrEqual(available)
        const line: Line = { window: windowNow(), credits: what.credits, end: 'open', charged: 0 }
        book.push(line)
        held[what.owner].push({ line, reservation })
      } catch (error) {
        expect(error).toBeInstanceOf(BudgetExceededError)
        expect(what.credits).toBeGreaterThan(available)
      }
    } else {
      const mine = held[what.owner]
      const target = mine[what.which % mine.length]
      if (target === undefined) continue
      const { line, reservation } = target
      const isOpen = line.end === 'open'
      if (what.do === 'settle') {
        const amount = mayExceed ? what.charged : Math.min(what.charged, line.credits)
        reservation.settle(amount)
        if (isOpen) Object.assign(line, { end: 'spent', charged: amount })
      } else {
        reservation[what.do]()
        if (isOpen) line.end = what.do === 'lose' ? 'uncertain' : 'released'
      }
    }
    const { exceeded, ...expected } = totals()
    const { spent, reserved, uncertain, available, resetsAt } = shared
    expect({ spent, reserved, uncertain, available }).toEqual(expected)
    expect(available).toBeGreaterThanOrEqual(0)
    if (!exceeded) expect(spent + reserved + uncertain).toBeLessThanOrEqual(limit)
    expect(resetsAt).toBe(windowMs === undefined ? undefined : START + (windowNow() + 1) * windowMs)
    expect([alone.spent, alone.reserved, alone.uncertain, alone.available]).toEqual([0, 0, 0, limit])
  }
}

const plans = fc.array(step, { maxLength: 60, size: 'max' })
const limits = fc.oneof(fc.nat(120), fc.constant(0))

test('two owners of one budget never get over its limit, and its totals are those of a plain book', () => {
  fc.assert(
    fc.property(plans, limits, (steps, limit) => run(steps, limit, undefined, false)),
    { numRuns: 400 },
  )
})

test('the same with windows that roll over', () => {
  fc.assert(
    fc.property(plans, limits, (steps, limit) => run(steps, limit, WINDOW_MS, false)),
    { numRuns: 400 },
  )
})

test('the same when the service charges more than was set aside', () => {
  fc.assert(
    fc.property(plans, limits, fc.constantFrom(undefined, WINDOW_MS), (steps, limit, windowMs) =>
      run(steps, limit, windowMs, true),
    ),
    { numRuns: 400 },
  )
})
