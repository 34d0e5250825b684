import fc from 'fast-check'
import { expect } from 'vitest'
import { type Budget, createBudget, type Reservation, type StoredBudget } from '../../src/credits/budget.ts'
import { joinLimits, reserveInBoth, type SpendingLimit } from '../../src/credits/joint-budget.ts'
import { StarterFailure } from '../../src/errors/budget.ts'
import { createVirtualClock, flush } from '../support/clock.ts'
import { type Drawn, testProperty, weighted } from '../support/property.ts'
import { createModelStore, type StoreFault } from './model-store.ts'
import { fakeStoreTimers } from './store-timers.ts'

/** What the service does with a request. */
type Fate = 'charged' | 'free' | 'lost' | 'lost and free' | 'executed late' | 'never sent'

const DELAY_MS = 20_000
/** More than a case can cost. */
const BALANCE = 1_000_000_000
const MINUTE = 60_000

const pick = fc.nat({ max: 99 })
const ofRequests = [
  weighted(8, {
    do: fc.constant('reserve'),
    owner: fc.constantFrom('none', 'memory', 'stored', 'both'),
    credits: fc.integer({ min: 0, max: 400 }),
  }),
  weighted(8, { do: fc.constant('send'), pick }),
  weighted(8, {
    do: fc.constant('end'),
    pick,
    fate: fc.constantFrom<Fate>('charged', 'charged', 'free', 'lost', 'lost and free', 'executed late', 'never sent'),
  }),
  weighted(4, { do: fc.constant('execute late'), pick }),
  // What has ended is decided again: an answer that comes after its request was given up, or twice.
  weighted(2, { do: fc.constant('decide again'), pick }),
  weighted(3, { do: fc.constant('look'), owner: fc.constantFrom('none', 'stored') }),
  // A quiet moment, while the service may still execute what was left.
  weighted(3, { do: fc.constant('leave all and look'), owner: fc.constantFrom('none', 'stored') }),
  weighted(5, { do: fc.constant('wait'), ms: fc.constantFrom(0.25, 300, 6_000, 25_000, 90_000) }),
  weighted(2, { do: fc.constant('crash') }),
] as const
const ofClocks = [
  weighted(4, { do: fc.constant('sleep'), ms: fc.integer({ min: 2_000, max: 10 * MINUTE }), isCertain: fc.boolean() }),
  weighted(2, { do: fc.constant('set the clock'), ms: fc.constantFrom(-3_600_000, -40_000, 40_000, 3_600_000) }),
] as const
const step = fc.oneof(...ofRequests, ...ofClocks)
type Step = Drawn<typeof step>
const most = { minLength: 1, maxLength: 60, size: 'max' } as const
const fault = fc.constantFrom<StoreFault>(
  'none',
  'none',
  'none',
  'slow',
  'false',
  'fails',
  'fails, but writes',
  'never',
)
const faults = fc.oneof(fc.constant<StoreFault[]>(['none']), fc.array(fault, { minLength: 1, maxLength: 8 }))
const windowMs = fc.constantFrom(undefined, MINUTE, 5 * MINUTE)
const cases = fc.record({
  // Over a restart the wall clock is all there is.
  steps: fc.oneof(fc.array(step, most), fc.array(fc.oneof(...ofRequests), most)),
  faults,
  otherFaults: faults,
  isStored: fc.boolean(),
  isProven: fc.boolean(),
  windows: fc.record({ common: windowMs, memory: windowMs, stored: windowMs }),
})

type Owner = 'none' | 'memory' | 'stored' | 'both'

interface Request {
  readonly key: string
  readonly credits: number
  readonly budgets: readonly Counted[]
  reservation: Reservation | undefined
  state: 'reserving' | 'reserved' | 'confirming' | 'sent' | 'left' | 'ended'
  sentAt: number
  /** What the service may charge, or has charged, in each budget. */
  charges: { readonly until: number; credits: number }[]
}

/** A budget, and what it has to count. */
interface Counted {
  readonly limit: number
  readonly windowMs: number | undefined
  readonly isStored: boolean
  /** When its first window began, in its own time. */
  origin: number
  budget: Budget
  charges: { readonly until: number; credits: number }[]
}

async function run({ steps, faults, otherFaults, isStored, isProven, windows }: Drawn<typeof cases>): Promise<void> {
  const clock = createVirtualClock()
  fakeStoreTimers(clock)
  /** Elapsed time and the sleep that is certain. */
  const elapsed = () => clock.monotonic()
  let wallOffset = 0
  const stores = [faults, otherFaults].map((given) => createModelStore(clock, () => wallOffset, given))
  /** By how much the wall clock was set back. */
  let setBackMs = 0
  const named = () => clock.now() + setBackMs
  const proof = { exclusiveKey: isProven, maxChargeDelayMs: DELAY_MS }
  const connected = () => stores.map((store) => store.connect())
  let connections = connected()
  const open = (limit: number, windowMs: number | undefined, store: number | undefined, isExclusive: boolean) => {
    const kept = store === undefined ? undefined : connections[store]
    const exclusive = isExclusive ? proof : {}
    const budget =
      kept === undefined
        ? createBudget({ credits: limit, windowMs, ...exclusive }, clock)
        : createBudget({ credits: limit, windowMs, ...exclusive, store: kept }, clock)
    const counted: Counted = {
      limit,
      windowMs,
      isStored: kept !== undefined,
      origin: kept === undefined ? elapsed() : 0,
      budget,
      charges: [],
    }
    return counted
  }
  const openAll = () => ({
    common: open(2_000, windows.common, isStored ? 0 : undefined, true),
    memory: open(700, windows.memory, undefined, false),
    // Its requests alone have the second key.
    stored: open(900, windows.stored, 1, true),
  })
  let { common, memory, stored } = openAll()
  const balances = new Map([
    ['first', BALANCE],
    ['second', BALANCE],
  ])
  let requests: Request[] = []
  const inState = (...states: Request['state'][]) => requests.filter(({ state }) => states.includes(state))
  const choose = (at: number, ...states: Request['state'][]) => {
    const found = inState(...states)
    return found[at % Math.max(1, found.length)]
  }

  const limitOf = (owner: Owner): [SpendingLimit | undefined, Counted[]] => {
    if (owner === 'none') return [undefined, [common]]
    if (owner === 'memory') return [memory.budget, [memory, common]]
    if (owner === 'stored') return [stored.budget, [stored, common]]
    return [joinLimits(memory.budget, stored.budget), [memory, stored, common]]
  }
  const isRefusal = (error: unknown): boolean => {
    const reason = error instanceof StarterFailure ? error.reason : error
    return ['budget_exceeded', 'state_unavailable'].includes((reason as { code: string }).code)
  }
  const requireRefusal = (error: unknown) => {
    if (!isRefusal(error)) throw error
  }

  async function reserve(owner: Owner, credits: number): Promise<Request> {
    const [own, budgets] = limitOf(owner)
    const key = budgets.includes(stored) ? 'second' : 'first'
    const request: Request = {
      key,
      credits,
      budgets,
      reservation: undefined,
      state: 'reserving',
      sentAt: 0,
      charges: [],
    }
    requests.push(request)
    const reserveAll = async () => (own ? reserveInBoth(own, common.budget, credits) : common.budget.reserve(credits))
    reserveAll().then(
      (reservation) => {
        request.reservation = reservation
        if (request.state === 'reserving') request.state = 'reserved'
      },
      (error) => {
        requireRefusal(error)
        request.state = 'ended'
      },
    )
    await flush()
    return request
  }

  async function send(request: Request | undefined): Promise<void> {
    if (request?.reservation === undefined) return
    const { reservation } = request
    request.state = 'confirming'
    const sent = () => {
      if (request.state !== 'confirming') return
      request.state = 'sent'
      request.sentAt = elapsed()
      request.charges = request.budgets.map((counted) => {
        const charge = { until: endOf(counted), credits: 0 }
        counted.charges.push(charge)
        return charge
      })
    }
    const confirm = async () => {
      const confirmed = reservation.confirm({}, request.key)
      if (confirmed === undefined) sent()
      else await confirmed.then(sent)
    }
    confirm().catch((error) => {
      requireRefusal(error)
      if (request.state === 'confirming') request.state = 'ended'
    })
    await flush()
  }

  /** Until when what is sent now counts, in elapsed time. */
  function endOf({ windowMs, isStored, origin }: Counted): number {
    if (windowMs === undefined) return Number.POSITIVE_INFINITY
    const time = isStored ? named() : elapsed()
    return elapsed() + windowMs - ((time - origin) % windowMs)
  }

  function execute(request: Request): number {
    const charged = Math.ceil(request.credits * 0.8)
    for (const charge of request.charges) charge.credits = charged
    balances.set(request.key, (balances.get(request.key) ?? 0) - charged)
    return charged
  }

  function end(request: Request | undefined, fate: Fate): void {
    if (request?.reservation === undefined) return
    const { reservation, key } = request
    request.state = 'ended'
    if (fate === 'never sent' || fate === 'free') reservation.release()
    else if (fate === 'charged') reservation.settle(execute(request), { remaining: balances.get(key) })
    else {
      if (fate === 'lost') execute(request)
      if (fate === 'executed late') request.state = 'left'
      reservation.markUncertain()
    }
  }

  async function take(next: Step): Promise<void> {
    if (next.do === 'reserve') await reserve(next.owner, next.credits)
    else if (next.do === 'send') await send(choose(next.pick, 'reserved'))
    else if (next.do === 'end') end(choose(next.pick, next.fate === 'never sent' ? 'reserved' : 'sent'), next.fate)
    else if (next.do === 'execute late') {
      const request = choose(next.pick, 'left')
      if (request === undefined) return
      if (elapsed() < request.sentAt + DELAY_MS) execute(request)
      request.state = 'ended'
    } else if (next.do === 'decide again') {
      const reservation = choose(next.pick, 'ended', 'left')?.reservation
      reservation?.settle(next.pick)
      reservation?.release()
    } else if (next.do === 'leave all and look') {
      for (const request of inState('sent')) end(request, 'executed late')
      await take({ do: 'look', owner: next.owner })
    } else if (next.do === 'look') {
      const request = await reserve(next.owner, 0)
      await send(request)
      if (request.state === 'sent') {
        request.state = 'ended'
        request.reservation?.settle(0, { remaining: balances.get(request.key) })
      }
    } else if (next.do === 'wait') await clock.advance(next.ms)
    else if (next.do === 'crash') await crash()
    // One that has not been read has not seen the clocks before.
    else if (![common, stored].every(({ budget }) => totalsOf(budget))) return
    else if (next.do === 'sleep') {
      clock.suspend(next.ms, next.isCertain)
      wallOffset += next.ms
    } else {
      clock.stepWallClock(next.ms)
      wallOffset += next.ms
      if (next.ms < 0) setBackMs -= next.ms
    }
  }

  async function crash(): Promise<void> {
    // A plain store cannot keep a late write from replacing a newer one; until the budget has written again a crash forgets.
    if (stores.some(({ isStale }) => isStale)) return
    for (const one of connections) one.isAlive = false
    const before = [common, stored]
    // What the wall clock did meanwhile is all that the next process knows.
    const isSteady = stores.every((store) => store.wallOffset === wallOffset) && wallOffset === 0
    for (const request of requests)
      request.state = request.state === 'sent' || request.state === 'left' ? 'left' : 'ended'
    requests = requests.filter(({ state }) => state === 'left')
    connections = connected()
    setBackMs = 0
    ;({ common, memory, stored } = openAll())
    for (const [index, now] of [common, stored].entries())
      if (now.isStored && isSteady) now.charges = before[index]?.charges ?? []
    await load()
  }

  /** Where its store does not fail. */
  async function load(): Promise<void> {
    for (const { budget } of [common, stored]) (budget as Partial<StoredBudget>).load?.().catch(requireRefusal)
    await flush()
  }

  function check(): void {
    for (const { budget, charges, limit } of [common, memory, stored]) {
      const totals = totalsOf(budget)
      if (totals === undefined) continue
      const counted = totals.reduce((sum, credits) => sum + credits, 0)
      const charged = charges.reduce((sum, { until, credits }) => sum + (elapsed() < until - 1 ? credits : 0), 0)
      // A matcher for each step would take as long as the steps.
      const isRight = Math.min(...totals) >= 0 && counted <= limit && charged <= counted
      if (!isRight) expect.fail(`counted ${totals} of ${limit}, charged ${charged}`)
    }
  }

  await load()
  for (const next of steps) {
    await take(next)
    check()
  }
  for (const store of stores) store.recover()
  await clock.advance(3 * MINUTE)
  for (const request of inState('reserved', 'sent')) end(request, 'free')
  check()
  for (const { budget } of [common, memory, stored]) {
    await budget.reserve(0)
    expect(budget.reserved).toBe(0)
  }
}

/** Spent, reserved and uncertain; undefined before the budget is loaded. */
function totalsOf(budget: Budget): number[] | undefined {
  try {
    return [budget.spent, budget.reserved, budget.uncertain]
  } catch {
    return undefined
  }
}

testProperty(
  'budgets that are joined count what each was charged, and no more than their limit, whatever is lost, sleeps, fails, or is decided twice',
  fc.asyncProperty(cases, run),
  { cases: 250 },
)
