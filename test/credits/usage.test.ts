import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Usage } from '../../src/credits/usage.ts'
import { testProperty } from '../support/property.ts'

describe('the remaining credits', () => {
  /** Requests in flight; the service charges 1 to 9 for each in any order, and its answers arrive in any order. */
  testProperty(
    'are the lowest reported balance without top-ups, in any order of requests and answers',
    () => {
      const order = fc.array(fc.tuple(fc.nat(20), fc.nat(20), fc.constantFrom('send', 'serve', 'answer')), {
        maxLength: 80,
        size: 'max',
      })
      return fc.property(order, (steps) => {
        const usage = new Usage()
        const sent: number[] = []
        const served: { sent: number; reported: number }[] = []
        let balance = 1000
        let lowest: number | undefined
        const seen: unknown[] = []
        const expected: unknown[] = []
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
          seen.push(usage.report().remaining)
          expected.push(lowest)
        }
        expect(seen).toEqual(expected)
      })
    },
    { cases: 100 },
  )

  testProperty(
    'increase only with the answer to a request that was sent after the shown figure arrived',
    () => {
      const steps = fc.array(fc.tuple(fc.nat(20), fc.nat(2000), fc.boolean()), { maxLength: 60, size: 'max' })
      return fc.property(steps, (plan) => {
        const usage = new Usage()
        const open: { sent: number; at: number }[] = []
        let shownSince = -1
        const wrong: string[] = []
        plan.forEach(([pick, reported, isAnswer], at) => {
          if (!isAnswer || open.length === 0) {
            open.push({ sent: usage.recordSent(), at })
            return
          }
          const [answered] = open.splice(pick % open.length, 1)
          const before = usage.report().remaining
          usage.recordRemaining(answered!.sent, reported)
          const after = usage.report().remaining
          const isNewer = answered!.at > shownSince
          if (isNewer ? after !== reported : after !== before && after !== reported) wrong.push(`step ${at}: ${after}`)
          if (!isNewer && before !== undefined && Number(after) > before)
            wrong.push(`step ${at}: increased to ${after}`)
          if (after !== before || isNewer) shownSince = at
        })
        expect(wrong).toEqual([])
      })
    },
    { cases: 100 },
  )
})

describe('the usage report', () => {
  test('is a copy', () => {
    const usage = new Usage()
    usage.recordCharge('token.price', 50, true)
    const before = usage.report()
    usage.recordCharge('token.price', 50, true)
    Object.assign(before.byOperation, { 'token.price': 7 })
    expect(before.charged).toBe(50)
    expect(usage.report().byOperation).toEqual({ 'token.price': 100 })
  })
})
