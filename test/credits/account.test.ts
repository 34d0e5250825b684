import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createAccount } from '../../src/credits/account.ts'

describe('remaining', () => {
  test('is unknown before the first answer', () => {
    expect(createAccount().report().remaining).toBeUndefined()
  })

  test('does not move up on a late answer', () => {
    const account = createAccount()
    const [first, second] = [account.noteSent(), account.noteSent()]
    account.noteRemaining(second, 900)
    account.noteRemaining(first, 950)
    expect(account.report().remaining).toBe(900)
  })

  test('follows the lower of two answers that were under way together, whichever comes last', () => {
    const account = createAccount()
    const [first, second] = [account.noteSent(), account.noteSent()]
    account.noteRemaining(second, 950)
    account.noteRemaining(first, 900)
    expect(account.report().remaining).toBe(900)
  })

  test('moves up after a top-up that a later request saw', () => {
    const account = createAccount()
    account.noteRemaining(account.noteSent(), 100)
    account.noteRemaining(account.noteSent(), 5_000_100)
    expect(account.report().remaining).toBe(5_000_100)
  })

  test('and an answer from before that top-up does not take it back up or pretend to be newer', () => {
    const account = createAccount()
    const early = account.noteSent()
    account.noteRemaining(account.noteSent(), 100)
    account.noteRemaining(account.noteSent(), 5_000_100)
    account.noteRemaining(early, 5_000_200)
    expect(account.report().remaining).toBe(5_000_100)
  })

  test('recovers with the next request after answers from before and after a top-up crossed', () => {
    const account = createAccount()
    const early = account.noteSent()
    account.noteRemaining(account.noteSent(), 5_000_100)
    account.noteRemaining(early, 150)
    account.noteRemaining(account.noteSent(), 5_000_050)
    expect(account.report().remaining).toBe(5_000_050)
  })

  test('0 is a balance', () => {
    const account = createAccount()
    account.noteRemaining(account.noteSent(), 0)
    expect(account.report().remaining).toBe(0)
  })

  /** Requests in flight; the service charges 1 to 9 for each in any order, and its answers arrive in any order. */
  test('without top-ups it is the lowest that was told, in whatever order requests are served and answered', () => {
    const order = fc.array(fc.tuple(fc.nat(20), fc.nat(20), fc.constantFrom('send', 'serve', 'answer')), {
      maxLength: 80,
      size: 'max',
    })
    fc.assert(
      fc.property(order, (steps) => {
        const account = createAccount()
        const sent: number[] = []
        const served: { sent: number; told: number }[] = []
        let balance = 1000
        let lowest: number | undefined
        for (const [pick, cost, what] of steps) {
          if (what === 'send') sent.push(account.noteSent())
          else if (what === 'serve' && sent.length > 0) {
            balance -= 1 + (cost % 9)
            served.push({ sent: sent.splice(pick % sent.length, 1)[0]!, told: balance })
          } else if (what === 'answer' && served.length > 0) {
            const [answer] = served.splice(pick % served.length, 1)
            account.noteRemaining(answer!.sent, answer!.told)
            lowest = Math.min(lowest ?? answer!.told, answer!.told)
          }
          expect(account.report().remaining).toBe(lowest)
        }
      }),
      { numRuns: 500 },
    )
  })

  test('with top-ups it never moves up on an answer to a request that was sent before the one it shows was answered', () => {
    const steps = fc.array(fc.tuple(fc.nat(20), fc.nat(2000), fc.boolean()), { maxLength: 60, size: 'max' })
    fc.assert(
      fc.property(steps, (plan) => {
        const account = createAccount()
        const open: { ticket: number; at: number }[] = []
        let shownSince = -1
        plan.forEach(([pick, told, isAnswer], at) => {
          if (!isAnswer || open.length === 0) {
            open.push({ ticket: account.noteSent(), at })
            return
          }
          const [answered] = open.splice(pick % open.length, 1)
          const before = account.report().remaining
          account.noteRemaining(answered!.ticket, told)
          const after = account.report().remaining
          expect([before, told]).toContain(after)
          if (before !== undefined && Number(after) > before) expect(answered!.at).toBeGreaterThan(shownSince)
          if (answered!.at > shownSince) expect(after).toBe(told)
          if (after !== before || answered!.at > shownSince) shownSince = at
        })
      }),
      { numRuns: 500 },
    )
  })
})

describe('the report', () => {
  test('sums what was charged, by operation, and what of it was computed', () => {
    const account = createAccount()
    account.noteCharge('token.price', 50, true)
    account.noteCharge('token.price', 50, false)
    account.noteCharge('farm.list', 3000, true)
    account.noteUncertain(200)
    expect(account.report()).toEqual({
      charged: 3100,
      computed: 50,
      uncertain: 200,
      remaining: undefined,
      byOperation: { 'token.price': 100, 'farm.list': 3000 },
    })
  })

  test('is a picture of its moment, which nobody can change', () => {
    const account = createAccount()
    account.noteCharge('token.price', 50, true)
    const before = account.report()
    account.noteCharge('token.price', 50, true)
    Object.assign(before.byOperation, { 'token.price': 7 })
    expect(before.charged).toBe(50)
    expect(account.report().byOperation).toEqual({ 'token.price': 100 })
  })
})
