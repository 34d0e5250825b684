import { createClient } from 'etn-market'
import { createFakeService, fakeTokens } from 'etn-market/fake'
import { expect, test } from 'vitest'
import { internalsOf } from '../../src/client/client-internals.ts'
import type { Reservation } from '../../src/credits/budget.ts'
import type { SpendingLimit } from '../../src/credits/joint-budget.ts'
import { BudgetExceededError } from '../../src/errors/budget.ts'
import { InvalidRequestError } from '../../src/errors/input.ts'

export interface Totals {
  readonly spent: number
  readonly reserved: number
  readonly uncertain: number
  readonly available: number
}

/** One kind of budget, with `LIMIT` credits in a window of `WINDOW_MS`. */
export interface BudgetUnderTest {
  readonly budget: SpendingLimit
  /** The totals as they are when everything known is written. */
  totals(): Promise<Totals>
  /** Lets time pass. */
  pass(ms: number): void
  /** Sets the wall clock forward or back: that of Redis, for a fleet. */
  stepWallClock(ms: number): void
  /** The same budget in another process, where it outlives this one. */
  restart?(): Promise<BudgetUnderTest>
}

/** What one kind of budget may do otherwise. */
export interface Kind {
  /** It begins anew with each window. @default true */
  readonly isRenewed?: boolean
  /** A balance that an answer reports proves what its key has lost. @default false */
  readonly provesByBalance?: boolean
}

export const LIMIT = 100
export const WINDOW_MS = 60_000
/** `maxChargeDelayMs` of those that compare balances. */
export const CHARGE_DELAY_MS = 10_000

const EMPTY: Totals = { spent: 0, reserved: 0, uncertain: 0, available: LIMIT }
const UNSAFE = Number.MAX_SAFE_INTEGER
const NO_CREDITS = [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5', undefined]
const PRICE = { address: fakeTokens.BOLT }

/** What every kind of budget promises: all of them are tried in the same cases. A new kind is added by one call. */
export function testBudget(
  create: () => Promise<BudgetUnderTest>,
  { isRenewed = true, provesByBalance = false }: Kind = {},
): void {
  const confirmed = async (budget: SpendingLimit, credits: number, key?: string): Promise<Reservation> => {
    const reservation = await budget.reserve(credits)
    await reservation.confirm({}, key)
    return reservation
  }
  const reserve = async (budget: SpendingLimit, credits: number) => budget.reserve(credits)
  /** What is known of earlier windows. */
  const kept = (totals: Totals): Totals => (isRenewed ? EMPTY : totals)

  test('reserves what fits, all of it or nothing, up to an exact fit', async () => {
    const { budget, totals } = await create()
    await reserve(budget, 60)
    await expect(reserve(budget, 41)).rejects.toThrow(BudgetExceededError)
    await expect(reserve(budget, 41)).rejects.toMatchObject({ code: 'budget_exceeded', needed: 41, available: 40 })
    await reserve(budget, 40)
    expect(await totals()).toEqual({ spent: 0, reserved: 100, uncertain: 0, available: 0 })
  })

  test('check says whether credits fit, and reserves nothing', async () => {
    const { budget, totals } = await create()
    budget.check(LIMIT)
    expect(() => budget.check(LIMIT + 1)).toThrow(BudgetExceededError)
    expect(await totals()).toEqual(EMPTY)
  })

  test('refuses to reserve what is no number of credits', async () => {
    const { budget, totals } = await create()
    for (const credits of [...NO_CREDITS, UNSAFE + 1])
      await expect(reserve(budget, credits as number)).rejects.toThrow(InvalidRequestError)
    expect(await totals()).toEqual(EMPTY)
  })

  test('holds under concurrency', async () => {
    const { budget, totals } = await create()
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => reserve(budget, 30)))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    expect(await totals()).toEqual({ spent: 0, reserved: 90, uncertain: 0, available: 10 })
  })

  test.each<[string, (reservation: Reservation) => void, Totals]>([
    ['settle counts the charge, and frees the rest', (one) => one.settle(20), { ...EMPTY, spent: 20, available: 80 }],
    ['release frees everything', (one) => one.release(), EMPTY],
    ['markUncertain holds the worst case', (one) => one.markUncertain(), { ...EMPTY, uncertain: 60, available: 40 }],
  ])('%s, and what follows changes nothing', async (_, decide, expected) => {
    const { budget, totals } = await create()
    const reservation = await confirmed(budget, 60)
    decide(reservation)
    expect(await totals()).toEqual(expected)
    reservation.settle(60)
    reservation.markUncertain()
    reservation.release()
    expect(await totals()).toEqual(expected)
    await expect((async () => reservation.confirm())()).rejects.toMatchObject({ code: 'reservation_decided' })
  })

  // A budget that holds NaN lets everything pass, and a charge below 0 gives credits back that are gone.
  test('a charge that is no number of credits is refused, and the reservation stays', async () => {
    const { budget, totals } = await create()
    const reservation = await confirmed(budget, 60)
    for (const charge of NO_CREDITS) expect(() => reservation.settle(charge as number)).toThrow('charge')
    expect((await totals()).reserved).toBe(60)
    reservation.settle(10)
    expect((await totals()).spent).toBe(10)
  })

  test('what is free fits a budget that is used up', async () => {
    const { budget, totals } = await create()
    ;(await confirmed(budget, LIMIT)).settle(LIMIT)
    const free = await confirmed(budget, 0)
    free.settle(0)
    expect(await totals()).toEqual({ spent: LIMIT, reserved: 0, uncertain: 0, available: 0 })
  })

  test('a charge above the worst case is recorded as it is, where it is known', async () => {
    const { budget, totals } = await create()
    ;(await confirmed(budget, 10)).settle(130)
    expect(await totals()).toEqual({ spent: 130, reserved: 0, uncertain: 0, available: Math.max(0, LIMIT - 130) })
    await expect(reserve(budget, LIMIT)).rejects.toThrow(BudgetExceededError)
  })

  test('charges that leave the safe integers use a budget up, and it is as before in the next window', async () => {
    const { budget, totals, pass } = await create()
    const reservations = [await confirmed(budget, 10), await confirmed(budget, 10)]
    for (const reservation of reservations) reservation.settle(UNSAFE)
    const usedUp = { spent: UNSAFE, reserved: 0, uncertain: 0, available: 0 }
    expect(await totals()).toEqual(usedUp)
    await expect(reserve(budget, LIMIT)).rejects.toThrow(BudgetExceededError)
    pass(WINDOW_MS)
    expect(await totals()).toEqual(kept(usedUp))
  })

  test('an answer whose cost is unsafe is charged by its items', async () => {
    const { totals, ask, fake } = await caller(await create())
    fake.fault({ headers: { 'x-credits-cost': String(UNSAFE) } })
    await ask()
    expect(await totals()).toEqual({ ...EMPTY, spent: 50, available: 50 })
  })

  test('a call that is aborted while it waits leaves nothing reserved', async () => {
    const { totals, ask, fake } = await caller(await create(), () => new Promise<string>(() => {}))
    const leaving = new AbortController()
    const call = ask(leaving.signal)
    await expect.poll(async () => (await totals()).reserved).toBe(50)
    leaving.abort(new Error('left'))
    await expect(call).rejects.toThrow('left')
    // Where two budgets wait for their stores, a call leaves before they have answered.
    await expect.poll(totals).toEqual(EMPTY)
    expect(fake.journal()).toEqual([])
  })

  test('what is lost with one key is not proven by the balance of another', async () => {
    const { budget, totals, pass } = await create()
    const free = async (key: string, remaining: number) => (await confirmed(budget, 0, key)).settle(0, { remaining })
    await free('one', 5_000)
    await free('other', 100_000)
    ;(await confirmed(budget, 60, 'one')).markUncertain()
    pass(CHARGE_DELAY_MS)
    await free('other', 99_960)
    expect((await totals()).uncertain).toBe(60)
    await free('one', 4_990)
    // What the balance of the other key has lost is unexplained, so it was charged.
    const proven = { spent: 50, reserved: 0, uncertain: 0, available: 50 }
    expect(await totals()).toEqual(provesByBalance ? proven : { ...EMPTY, uncertain: 60, available: 40 })
  })

  test('a window counts what is sent in it, and then begins anew', async () => {
    const { budget, totals, pass } = await create()
    ;(await confirmed(budget, 70)).settle(70)
    const queued = await reserve(budget, 30)
    const before = { spent: 70, reserved: 30, uncertain: 0, available: 0 }
    expect(await totals()).toEqual(before)
    pass(WINDOW_MS)
    expect(await totals()).toEqual(kept(before))
    await queued.confirm()
    expect(await totals()).toEqual(isRenewed ? { ...EMPTY, reserved: 30, available: 70 } : before)
    queued.settle(25)
    const spent = isRenewed ? 25 : 95
    expect(await totals()).toEqual({ ...EMPTY, spent, available: LIMIT - spent })
  })

  test('what is queued and does not fit the window in which it would be sent is released', async () => {
    const { budget, totals, pass } = await create()
    const queued = await reserve(budget, 60)
    pass(WINDOW_MS)
    if (!isRenewed) {
      await expect(reserve(budget, 70)).rejects.toThrow(BudgetExceededError)
      return
    }
    await reserve(budget, 70)
    await expect((async () => queued.confirm())()).rejects.toThrow(BudgetExceededError)
    expect(await totals()).toEqual({ ...EMPTY, reserved: 70, available: 30 })
  })

  test('a charge that becomes known late counts in the window in which it was sent', async () => {
    const { budget, totals, pass } = await create()
    const [settled, lost] = [await confirmed(budget, 40), await confirmed(budget, 30)]
    pass(WINDOW_MS)
    settled.settle(40)
    lost.markUncertain()
    expect(await totals()).toEqual(kept({ spent: 40, reserved: 0, uncertain: 30, available: 30 }))
  })

  test('a wall clock that is set back and forth frees nothing, and holds up nothing for longer than a window', async () => {
    const { budget, totals, pass, stepWallClock } = await create()
    ;(await confirmed(budget, 60)).settle(60)
    ;(await confirmed(budget, 30)).markUncertain()
    const used = { spent: 60, reserved: 0, uncertain: 30, available: 10 }
    for (const windows of [-1, -8_760, 8_761, -3, 3]) {
      stepWallClock(windows * WINDOW_MS)
      await expect(reserve(budget, 11)).rejects.toThrow(BudgetExceededError)
      expect(await totals()).toEqual(used)
    }
    stepWallClock(-10 * WINDOW_MS)
    await expect(reserve(budget, 11)).rejects.toThrow(BudgetExceededError)
    pass(WINDOW_MS)
    expect(await totals()).toEqual(kept(used))
  })

  test('another process knows what was spent as soon as it has loaded it, and one that cannot begins with nothing', async () => {
    const first = await create()
    ;(await confirmed(first.budget, 60)).settle(20)
    ;(await confirmed(first.budget, 30)).markUncertain()
    expect(await first.totals()).toEqual({ spent: 20, reserved: 0, uncertain: 30, available: 50 })
    const second = await (first.restart ?? create)()
    expect(await second.totals()).toEqual(
      first.restart ? { spent: 20, reserved: 0, uncertain: 30, available: 50 } : EMPTY,
    )
  })
}

/** A client whose calls of 50 credits have to fit the budget beside its own. */
async function caller({ budget, totals }: BudgetUnderTest, apiKey?: () => Promise<string>) {
  const fake = createFakeService()
  const client = createClient({ apiKey: apiKey ?? fake.key, fetch: fake.fetch, retry: false })
  const ask = async (signal?: AbortSignal) => {
    const options = signal === undefined ? {} : { signal }
    return internalsOf(client)?.call('token.price', PRICE, options, { budget })
  }
  return { fake, ask, totals }
}
