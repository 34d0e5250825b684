import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createUsage } from '../../src/credits/usage.ts'
import { testProperty } from '../support/property.ts'

describe('the remaining credits', () => {
  test('are unknown before the first answer', () => {
    expect(createUsage().report().remaining).toBeUndefined()
  })

  test('do not increase with a late answer', () => {
    const usage = createUsage()
    const [first, second] = [usage.recordSent(), usage.recordSent()]
    usage.recordRemaining(second, 900)
    usage.recordRemaining(first, 950)
    expect(usage.report().remaining).toBe(900)
  })

  test('are the lower figure of two answers whose requests were in flight together, in any order', () => {
    const usage = createUsage()
    const [first, second] = [usage.recordSent(), usage.recordSent()]
    usage.recordRemaining(second, 950)
    usage.recordRemaining(first, 900)
    expect(usage.report().remaining).toBe(900)
  })

  test('increase with the answer to a later request, after a top-up', () => {
    const usage = createUsage()
    usage.recordRemaining(usage.recordSent(), 100)
    usage.recordRemaining(usage.recordSent(), 5_000_100)
    expect(usage.report().remaining).toBe(5_000_100)
  })

  test('do not change with a late answer from before a top-up', () => {
    const usage = createUsage()
    const early = usage.recordSent()
    usage.recordRemaining(usage.recordSent(), 100)
    usage.recordRemaining(usage.recordSent(), 5_000_100)
    usage.recordRemaining(early, 5_000_200)
    expect(usage.report().remaining).toBe(5_000_100)
  })

  test('are right again with the next request after answers arrived in the wrong order around a top-up', () => {
    const usage = createUsage()
    const early = usage.recordSent()
    usage.recordRemaining(usage.recordSent(), 5_000_100)
    usage.recordRemaining(early, 150)
    usage.recordRemaining(usage.recordSent(), 5_000_050)
    expect(usage.report().remaining).toBe(5_000_050)
  })

  test('may be 0', () => {
    const usage = createUsage()
    usage.recordRemaining(usage.recordSent(), 0)
    expect(usage.report().remaining).toBe(0)
  })

  /** Requests in flight; the service charges 1 to 9 for each in any order, and its answers arrive in any order. */
  testProperty(
    'are the lowest reported balance without top-ups, in any order of requests and answers',
    () => {
      const order = fc.array(fc.tuple(fc.nat(20), fc.nat(20), fc.constantFrom('send', 'serve', 'answer')), {
        maxLength: 80,
        size: 'max',
      })
      return fc.property(order, (steps) => {
        const usage = createUsage()
        const sent: number[] = []
        const served: { sent: number; reported: number }[] = []
        let balance = 1000
        let lowest: number | undefined
        for (const [pick, cost, what] of steps) {
          if (what === 'send') sent.push(usage.recordSent())
          else if (what === 'serve' && sent.length > 0) {
            balance -= 1 + (cost % 9)
            served.push({ sent: sent.splice(pick % sent.length, 1)[0]!, reported: balance })
          } else if (what === 'answer' && served.length > 0) {
            const [answer] = served.splice(pick % served.length, 1)
            usage.recordRemaining(answer!.sent, answer!.reported)
            lowest = Math.min(lowest ?? answer!.reported, answer!.reported)
          }
          expect(usage.report().remaining).toBe(lowest)
        }
      })
    },
    { cases: 500 },
  )

  testProperty(
    'increase only with the answer to a request that was sent after the shown figure arrived',
    () => {
      const steps = fc.array(fc.tuple(fc.nat(20), fc.nat(2000), fc.boolean()), { maxLength: 60, size: 'max' })
      return fc.property(steps, (plan) => {
        const usage = createUsage()
        const open: { sent: number; at: number }[] = []
        let shownSince = -1
        plan.forEach(([pick, reported, isAnswer], at) => {
          if (!isAnswer || open.length === 0) {
            open.push({ sent: usage.recordSent(), at })
            return
          }
          const [answered] = open.splice(pick % open.length, 1)
          const before = usage.report().remaining
          usage.recordRemaining(answered!.sent, reported)
          const after = usage.report().remaining
          expect([before, reported]).toContain(after)
          if (before !== undefined && Number(after) > before) expect(answered!.at).toBeGreaterThan(shownSince)
          if (answered!.at > shownSince) expect(after).toBe(reported)
          if (after !== before || answered!.at > shownSince) shownSince = at
        })
      })
    },
    { cases: 500 },
  )
})

describe('the usage report', () => {
  test('adds up the charged credits by operation, and the computed part of them', () => {
    const usage = createUsage()
    usage.recordCharge('token.price', 50, true)
    usage.recordCharge('token.price', 50, false)
    usage.recordCharge('farm.list', 3000, true)
    usage.recordUncertain(200)
    expect(usage.report()).toEqual({
      charged: 3100,
      computed: 50,
      uncertain: 200,
      remaining: undefined,
      byOperation: { 'token.price': 100, 'farm.list': 3000 },
    })
  })

  test('is a copy', () => {
    const usage = createUsage()
    usage.recordCharge('token.price', 50, true)
    const before = usage.report()
    usage.recordCharge('token.price', 50, true)
    Object.assign(before.byOperation, { 'token.price': 7 })
    expect(before.charged).toBe(50)
    expect(usage.report().byOperation).toEqual({ 'token.price': 100 })
  })
})
