import { type ClientEvent, createClient } from 'etn-market'
import { createFakeService } from 'etn-market/fake'
import { afterEach, expect, inject, test, vi } from 'vitest'
import { commands } from 'vitest/browser'
import { keys } from './keys.ts'

const baseUrl = inject('hiddenUrl')
const BOLT = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'

afterEach(() => {
  vi.restoreAllMocks()
})

test('charges are computed where CORS hides the credit headers, and marked so', async () => {
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

test('offline and back: a call that begins offline succeeds when the network is back in time', async () => {
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

test('pagehide in flight: a page that goes leaves no request and no error behind', async () => {
  const errors: unknown[] = []
  const note = (event: Event) => errors.push(event)
  addEventListener('unhandledrejection', note)
  const frame = document.createElement('iframe')
  frame.name = JSON.stringify({ baseUrl, key: keys.leaving })
  frame.srcdoc = `<script type="module" src="${new URL('./leave.js', import.meta.url)}"></script>`
  document.body.append(frame)
  const told = new Promise((resolve) => addEventListener('message', ({ data }) => resolve(data), { once: true }))
  const asked = async () => (await commands.journal()).filter(({ key }) => key === keys.leaving)
  await expect.poll(async () => (await asked()).length, { timeout: 10_000 }).toBe(1)
  frame.contentWindow?.location.replace('about:blank')
  expect(await told).toBe('client_closed')
  await expect.poll(async () => (await asked()).map(({ finished }) => finished)).toEqual([true])
  expect(errors).toEqual([])
  removeEventListener('unhandledrejection', note)
})

test('a page that reuses one AbortController all day gathers no listeners', async () => {
  const fake = createFakeService()
  const client = createClient({ apiKey: fake.key, fetch: fake.fetch, onEvent() {} })
  const { signal } = new AbortController()
  let [listeners, most] = [0, 0]
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    most = Math.max(most, ++listeners)
    add(...args)
  }
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners--
    remove(...args)
  }
  for (let round = 0; round < 200; round++) {
    await Promise.all([client.etn.price({}, { signal }), client.token.price({ address: BOLT }, { signal })])
  }
  expect({ listeners, most, charged: fake.charged() }).toEqual({ listeners: 0, most: 1, charged: 200 * 75 })
  await client.close()
})

test('a key in a page is warned about once, and the warning does not tell it', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const fake = createFakeService()
  const client = createClient({ apiKey: fake.key, fetch: fake.fetch })
  await client.etn.price()
  await client.etn.price()
  expect(warn).toHaveBeenCalledOnce()
  expect(warn.mock.calls[0]?.[0]).toContain('proxy')
  expect(String(warn.mock.calls)).not.toContain(fake.key)
  createClient({ baseUrl: '/api/market', fetch: fake.fetch })
  expect(warn).toHaveBeenCalledOnce()
  await client.close()
})
