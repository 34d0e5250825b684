import { describe, expect, test } from 'vitest'
import { KEY, pricePath, setupProxy, TOKENS } from './setup.ts'

const [TOKEN = ''] = TOKENS

describe('the key', () => {
  const echoed = (body: unknown) => {
    const forms = { text: KEY, [KEY]: [KEY, { [`a${KEY}`]: encodeURIComponent(KEY) }] }
    return { ...(body as object), data: { ...(body as { data: object }).data, usd: KEY, forms } }
  }

  test('is in no answer of a service that echoes it', async () => {
    const { ask, fake } = setupProxy()
    fake.fault({ transform: echoed, times: 1 })
    expectNoKey(await (await ask(pricePath())).text())
  })

  test.each([400, 401, 402, 403, 404, 409, 429, 500, 503])('is in no error %i that echoes it', async (status) => {
    const { ask, fake } = setupProxy({}, {}, { retry: false })
    fake.fault({ status, code: KEY, message: `bad ${KEY}`, headers: { 'x-echo': KEY } })
    const response = await ask(pricePath())
    expect(response.ok).toBe(false)
    expectNoKey(await response.text())
    expectNoKey(JSON.stringify([...response.headers]))
  })

  test('is in no answer where a function rotates it', async () => {
    let count = 0
    const keys: string[] = []
    const apiKey = () => {
      const key = `esk_rotated_${count++}`
      keys.push(key)
      return key
    }
    const { ask, fake } = setupProxy({}, { keys: { esk_rotated_0: 1e6, esk_rotated_1: 1e6 } }, { apiKey })
    fake.fault({
      transform: (body) => ({ ...(body as object), keys: 'x', data: { usd: 'esk_rotated_0 esk_rotated_1' } }),
      nth: 2,
    })
    await ask(pricePath(0))
    const text = await (await ask(pricePath(1))).text()
    expect(keys).toHaveLength(2)
    expect(text).not.toContain('esk_rotated')
  })

  test('is in no answer to a visitor who guesses at it', async () => {
    const { ask } = setupProxy({ allow: ['token.candles'] })
    const guess = encodeURIComponent(KEY)
    for (const query of [`?bucket=${guess}`, `?${guess}=1`, `?limit=${guess}`])
      expectNoKey(await (await ask(`/tokens/52014/${TOKEN}/candles${query}`)).text())
  })

  function expectNoKey(text: string) {
    const variants = [KEY, JSON.stringify(KEY).slice(1, -1), encodeURIComponent(KEY)]
    for (const variant of variants) expect(text.toLowerCase()).not.toContain(variant.toLowerCase())
  }
})
