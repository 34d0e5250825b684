import { createFakeService } from 'etn-market/fake'
import { expect, onTestFinished, test, vi } from 'vitest'
import worker, { Market } from '../../examples/worker/worker.ts'

test('the worker sends every visitor to one object, which buys once', async () => {
  const fake = createFakeService()
  vi.stubGlobal('fetch', fake.fetch)
  onTestFinished(async () => {
    vi.unstubAllGlobals()
    await fake.close()
  })
  const objects = new Map<unknown, Market>()
  const env = {
    ETN_MARKET_API_KEY: fake.key,
    MARKET: {
      idFromName: (name: string) => name,
      get: (id: unknown) => {
        const market = objects.get(id) ?? new Market({}, env)
        objects.set(id, market)
        return market
      },
    },
  }
  const visit = (path: string, visitor?: string) => {
    const headers = { ...(visitor !== undefined && { 'cf-connecting-ip': visitor }) }
    return worker.fetch(new Request(`https://dapp.example/api/market${path}`, { headers }), env)
  }
  const answers = await Promise.all(
    ['192.0.2.1', '192.0.2.2'].map((visitor) => visit('/tokens/52014?limit=5', visitor)),
  )
  expect(answers.map(({ headers }) => headers.get('x-credits-cost'))).toEqual(['125', '0'])
  expect((await visit('/farms/52014', '192.0.2.1')).status).toBe(403)
  expect((await visit('/tokens/52014?limit=5')).status).toBe(403)
  fake.expectCredits(125)
  expect(objects.size).toBe(1)
})
