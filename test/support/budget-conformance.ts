import { expect, test } from 'vitest'
import type { Reservation } from '../../src/credits/budget.ts'
import type { SpendingLimit } from '../../src/credits/joint-budget.ts'
import { BudgetExceededError, InvalidRequestError } from '../../src/errors/index.ts'

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
  /** Lets time pass, where the test can. */
  pass?(ms: number): void
}

export const LIMIT = 100
export const WINDOW_MS = 60_000

const EMPTY: Totals = { spent: 0, reserved: 0, uncertain: 0, available: LIMIT }

/** What every kind of budget promises. A new kind is added by one call. */
export function testBudget(
  create: () => Promise<BudgetUnderTest>,
  { recordsMoreThanReserved = true, canPass = true }: { recordsMoreThanReserved?: boolean; canPass?: boolean } = {},
): void {
  const confirmed = async (budget: SpendingLimit, credits: number): Promise<Reservation> => {
    const reservation = await budget.reserve(credits)
    await reservation.confirm()
    return reservation
  }
  const reserve = async (budget: SpendingLimit, credits: number) => budget.reserve(credits)

  test('reserves what fits, all of it or nothing', async () => {
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

  test.each([-1, 1.5, Number.NaN, Number.MAX_SAFE_INTEGER + 1])('refuses to reserve %d credits', async (credits) => {
    const { budget, totals } = await create()
    await expect(reserve(budget, credits)).rejects.toThrow(InvalidRequestError)
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

  test('a charge that is no number of credits is refused, and the reservation stays', async () => {
    const { budget, totals } = await create()
    const reservation = await confirmed(budget, 60)
    expect(() => reservation.settle(-1)).toThrow('charge')
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

  if (recordsMoreThanReserved) {
    test('a charge above the worst case is recorded as it is', async () => {
      const { budget, totals } = await create()
      ;(await confirmed(budget, 10)).settle(130)
      expect(await totals()).toEqual({ spent: 130, reserved: 0, uncertain: 0, available: 0 })
      await expect(reserve(budget, 1)).rejects.toThrow(BudgetExceededError)
    })
  }

  if (canPass) {
    test('a window counts what is sent in it, and then begins anew', async () => {
      const { budget, totals, pass } = await create()
      ;(await confirmed(budget, 70)).settle(70)
      const queued = await reserve(budget, 30)
      pass?.(WINDOW_MS)
      expect(await totals()).toEqual(EMPTY)
      await queued.confirm()
      expect(await totals()).toEqual({ ...EMPTY, reserved: 30, available: 70 })
      queued.settle(25)
      expect(await totals()).toEqual({ ...EMPTY, spent: 25, available: 75 })
    })

    test('what is queued and does not fit the window in which it would be sent is released', async () => {
      const { budget, totals, pass } = await create()
      const queued = await reserve(budget, 60)
      pass?.(WINDOW_MS)
      await reserve(budget, 70)
      await expect((async () => queued.confirm())()).rejects.toThrow(BudgetExceededError)
      expect(await totals()).toEqual({ ...EMPTY, reserved: 70, available: 30 })
    })
  }
}
