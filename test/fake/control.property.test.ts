import fc from 'fast-check'
import { expect } from 'vitest'
import { testProperty } from '../support/property.ts'
import { BOLT, NOON, serve } from './setup.ts'

// biome-ignore format: a list of values
const VALUES = [
  null, true, -1, 0, 1, 5, 0.5, 503, 1e308, 9e15, '', 'x', '1', '\r\n', 'Infinity', '1h', 'missing', 'after',
] as const
// biome-ignore format: a list of names
const NAMES = ['status', 'delayMs', 'etn.price', 'inMs', 'skewMs', 'cost', 'x-a', 'time', '__proto__'] as const
const leaf = fc.oneof(fc.constantFrom(...VALUES), fc.constantFrom(BOLT, 'etn.price', 'token.list'), fc.string())
const nameInside = fc.constantFrom(...NAMES)
const value = fc.oneof(leaf, fc.array(leaf, { maxLength: 3 }), fc.dictionary(nameInside, leaf, { maxKeys: 3 }))

interface Schema {
  $ref?: string
  properties?: Record<string, unknown>
}

interface Operation {
  requestBody?: { content: Record<string, { schema: Schema }> }
}

testProperty(
  'whatever is sent to a control route is done or refused with a reason, and breaks no later call',
  async () => {
    const { fake, url, get } = await serve({ clock: { now: () => NOON, sleep: async () => {} } })
    const document = await (await fetch(new URL('/_fake/openapi.json', url))).json()
    const posts = Object.entries<{ post?: Operation }>(document.paths).flatMap(([path, { post }]) => {
      const schema = post?.requestBody?.content['application/json']?.schema ?? {}
      const { properties = {} }: Schema = document.components.schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema
      // Keys may have any name.
      const names = path.endsWith('/keys') ? ['a', fake.key] : Object.keys(properties)
      return post ? [{ path, names: names.length > 0 ? names : ['a'] }] : []
    })
    expect(posts.length).toBeGreaterThan(12)
    // Most fields are those of faults.
    const route = fc.constantFrom(...posts, ...posts.filter(({ path }) => /faults|script/.test(path)))
    const request = route.chain(({ path, names }) =>
      fc.record({
        path: fc.constant(path),
        body: fc.dictionary(fc.constantFrom(...names), value, { minKeys: 1, maxKeys: 3 }),
      }),
    )
    return fc.asyncProperty(request, async ({ path, body }) => {
      const init = { method: 'POST', body: JSON.stringify(body) }
      const response = await fetch(new URL(path, url), init)
      const { error } = await response.json()
      expect([200, 400, 409]).toContain(response.status)
      if (response.status !== 200) {
        expect(error.message.length).toBeGreaterThan(10)
        return
      }
      for (const call of ['/prices/etn', `/prices/52014/${BOLT}`]) {
        // A connection that breaks, or never answers, is what some faults are for.
        const headers = { authorization: `Bearer ${fake.key}` }
        const answer = await get(call, { headers, signal: AbortSignal.timeout(30) }).catch(() => undefined)
        expect(answer?.body).not.toMatchObject({ error: { code: 'fake_broken' } })
        expect(answer?.headers.get('date')).not.toBe('Invalid Date')
      }
      fake.reset()
    })
  },
  { cases: 100 },
)
