import fc from 'fast-check'
import { expect } from 'vitest'
import { type FakeOperation, type FaultEffects, fakeRoutes } from '../../../src/fake/index.ts'
import { testProperty } from '../../support/property.ts'
import { BOLT, makeFake, NOON } from '../setup.ts'

const PATHS: Partial<Record<FakeOperation, string>> = {
  'etn.price': '/prices/etn',
  'token.list': '/tokens/52014?limit=3',
  'token.get': `/tokens/52014/${BOLT}`,
}
const operation = fc.constantFrom(...(Object.keys(PATHS) as FakeOperation[]))

const effect: fc.Arbitrary<FaultEffects> = fc.oneof(
  fc.record({ status: fc.constantFrom(404, 429, 500, 503), charge: fc.boolean() }),
  fc.record({ front: fc.constantFrom('caddy' as const, 'varnish' as const), charge: fc.boolean() }),
  fc.record({ reset: fc.constantFrom('before' as const, 'after' as const) }),
  fc.record({ delayMs: fc.integer({ min: 0, max: 5_000 }) }),
  fc.record({ truncate: fc.integer({ min: 0, max: 40 }) }),
  fc.record({ creditHeaders: fc.constantFrom('missing' as const, 'duplicate' as const) }),
  fc.record({ charge: fc.boolean(), malformed: fc.constant(true as const) }),
  fc.constant({ transform: async (body: unknown) => body }),
)
const fault = fc.record({ operation, times: fc.integer({ min: 1, max: 3 }), effect })
const script = fc.record({
  operation,
  steps: fc.array(fc.oneof(fc.constant('ok' as const), effect), { minLength: 1, maxLength: 4 }),
})

testProperty(
  'whatever faults meet on whatever calls: every credit is in the ledger, and no fault hits more often than it should',
  () => {
    const inputs = [
      fc.array(fault, { maxLength: 5 }),
      fc.array(script, { maxLength: 2 }),
      fc.array(operation, { maxLength: 12 }),
    ] as const
    return fc.asyncProperty(...inputs, async (faults, scripts, calls) => {
      const clock = { now: () => NOON, sleep: async () => {} }
      const fake = makeFake({ clock, keys: { k: 900 } })
      const handles = [
        ...faults.map(({ operation, times, effect }) => ({
          times,
          fault: fake.fault({ operation, times, ...effect }),
        })),
        ...scripts.map(({ operation, steps }) => ({ times: steps.length, fault: fake.script(operation, steps) })),
      ]
      const headers = { authorization: 'Bearer k' }
      await Promise.all(
        calls.map(async (one) => {
          const response = await fake.fetch(fake.baseUrl + PATHS[one], { headers }).catch(() => undefined)
          await response?.text().catch(() => {})
        }),
      )
      const ledger = fake.ledger()
      const charged = ledger.reduce((sum, { credits }) => sum + credits, 0)
      expect([900 - fake.remaining(), fake.charged()]).toEqual([charged, charged])
      for (const entry of fake.journal()) {
        const own = ledger.filter(({ request }) => request === entry.id)
        expect(own.map(({ credits }) => credits)).toEqual(entry.credits > 0 ? [entry.credits] : [])
        expect(entry.finished).toBe(true)
        // Without a fault a call is what it always is.
        if (entry.fault !== null || entry.operation === null || entry.status === 402) continue
        const { base, perItem } = fakeRoutes[entry.operation]
        expect([entry.status, entry.credits]).toEqual([
          200,
          base + (entry.operation === 'token.list' ? 3 * perItem : 0),
        ])
      }
      for (const { times, fault } of handles) expect(fault.hits).toBeLessThanOrEqual(times)
      const hits = handles.reduce((sum, { fault }) => sum + fault.hits, 0)
      if (calls.length === 0) expect(hits).toBe(0)
      fake.expectRequests(calls.length)
    })
  },
  { cases: 30 },
)
