import { type ClientEvent, createClient } from 'etn-market'
import { createFakeService } from 'etn-market/fake'
import { afterEach, expect, inject, test, vi } from 'vitest'
import { commands } from 'vitest/browser'
import { keys } from './keys.ts'

const baseUrl = inject('hiddenUrl')

afterEach(() => {
  vi.restoreAllMocks()
})

test('computes charges and marks them as computed where CORS hides the credit headers', async () => {
  const events: ClientEvent[] = []
  const client = createClient({ apiKey: keys.hidden, baseUrl, onEvent: (event) => events.push(event) })
  const { data, meta } = await client.token.list({ limit: 7 }).withMeta()
  expect(data).toHaveLength(7)
  expect(meta.credits).toEqual({ estimated: 135, charged: 135, remaining: undefined, source: 'computed' })
  expect(events.map(({ type }) => type)).toContain('credits.computed')
  expect(client.budget.spent).toBe(135)
  const journal = (await commands.journal()).filter(({ key }) => key === keys.hidden)
  expect(journal.map(({ credits }) => credits)).toEqual([135])
  await client.close()
})

test('succeeds when a call starts offline and the network returns in time', async () => {
  const types: string[] = []
  const options = { apiKey: keys.offline, baseUrl, retry: { limit: 8 } }
  const client = createClient({ ...options, onEvent: ({ type }) => types.push(type) })
  await commands.offlineFor(1_500)
  await expect.poll(() => navigator.onLine).toBe(false)
  const error = await client.etn.price({}, { retry: false }).catch((caught: unknown) => caught)
  expect(error).toMatchObject({ name: 'ConnectionError', attempts: 1, credits: 0 })
  expect(typeof (await client.etn.price()).usd).toBe('string')
  expect(types).toContain('retry.scheduled')
  expect(client.credits.charged).toBe(25)
  await client.close()
})

test('leaves no request and no unhandled error when the page closes during a call', async () => {
  const errors: unknown[] = []
  const recordError = (event: Event) => errors.push(event)
  addEventListener('unhandledrejection', recordError)
  const frame = document.createElement('iframe')
  frame.name = JSON.stringify({ baseUrl, key: keys.leaving })
  frame.srcdoc = `<script type="module" src="${new URL('./closing-page.js', import.meta.url)}"></script>`
  document.body.append(frame)
  const message = new Promise((resolve) => addEventListener('message', ({ data }) => resolve(data), { once: true }))
  const requests = async () => (await commands.journal()).filter(({ key }) => key === keys.leaving)
  await expect.poll(async () => (await requests()).length, { timeout: 10_000 }).toBe(1)
  frame.contentWindow?.location.replace('about:blank')
  expect(await message).toBe('client_closed')
  await expect.poll(async () => (await requests()).map(({ finished }) => finished)).toEqual([true])
  expect(errors).toEqual([])
  removeEventListener('unhandledrejection', recordError)
})

test('asks anew where a front lets the browser keep an answer, which would be old and count as charged again', async () => {
  const client = createClient({ apiKey: keys.kept, baseUrl })
  for (let call = 0; call < 3; call++) await client.etn.price()
  const requests = (await commands.journal()).filter(({ key }) => key === keys.kept)
  expect(requests.map(({ credits }) => credits)).toEqual([25, 25, 25])
  expect(client.credits.charged).toBe(75)
  await client.close()
})

test('warns once about a key in a page, without printing the key', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const fake = createFakeService({ keys: { esk_live_page: 1_000 } })
  // Neither the fake's own key is a secret, nor any that its own fetch sends.
  const client = createClient({ apiKey: fake.key, fetch: (...request) => fake.fetch(...request) })
  await client.etn.price()
  await client.etn.price()
  expect(warn).toHaveBeenCalledOnce()
  expect(warn.mock.calls[0]?.[0]).toContain('proxy')
  expect(String(warn.mock.calls)).not.toContain(fake.key)
  createClient({ baseUrl: '/api/market', fetch: fake.fetch })
  expect(warn).toHaveBeenCalledOnce()
  await client.close()
})
