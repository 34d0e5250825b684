import { describe, expect, it } from 'vitest'
import type { FakeOperation } from '../../src/fake/index.ts'
import { ask, BOLT, play, serve } from './setup.ts'

describe('fake.stub', () => {
  it('replaces the data of an operation, charged, with headers, until it is removed', async () => {
    const { fake, get } = play()
    const seen: unknown[] = []
    const remove = fake.stub('token.get', async ({ params, data, key }) => {
      seen.push({ params, key })
      return { ...data, name: 'x' }
    })
    const { body, headers } = await get(`/tokens/52014/${BOLT}`)
    expect(body.data).toMatchObject({ name: 'x', symbol: 'BOLT' })
    expect(headers.get('x-credits-cost')).toBe('100')
    expect(seen).toEqual([{ params: { address: BOLT }, key: fake.key }])
    remove()
    expect((await get(`/tokens/52014/${BOLT}`)).body.data.name).toBe('Bolt')
    fake.expectCredits({ 'token.get': 200 })
  })

  it('charges for the items of its answer, and checks the request first', async () => {
    const { fake, get } = play()
    fake.stub('token.list', ({ params, data }) => data.slice(0, Number(params.limit) - 1))
    expect((await get('/tokens/52014?limit=5')).headers.get('x-credits-cost')).toBe('120')
    expect((await get('/tokens/52014?limit=500')).status).toBe(400)
    fake.stub('token.get', () => undefined)
    expect((await get(`/tokens/52014/${BOLT}`)).status).toBe(404)
    fake.expectCredits(120)
  })

  it('that waits lets no two calls spend the same credits', async () => {
    const { fake, get } = play({ keys: { k: 130 } })
    let answer = () => {}
    const opened = new Promise<void>((resolve) => {
      answer = resolve
    })
    fake.stub('token.get', async ({ data }) => {
      await opened
      return data
    })
    const asked = [get(`/tokens/52014/${BOLT}`), get(`/tokens/52014/${BOLT}`)]
    await expect.poll(() => fake.journal().length).toBe(2)
    await get('/prices/etn')
    answer()
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 402])
    expect(fake.remaining()).toBe(5)
  })

  it('does not run for a key that cannot pay', async () => {
    const { fake, get } = play()
    let runs = 0
    for (const operation of ['token.get', 'prices.batch'] as const) {
      fake.stub(operation, ({ data }) => {
        runs++
        return data
      })
    }
    fake.setCredits(fake.key, 99)
    expect((await get(`/tokens/52014/${BOLT}`)).status).toBe(402)
    fake.setCredits(fake.key, 119)
    expect((await get(`/prices/52014?addresses=${BOLT},${BOLT}`)).status).toBe(402)
    expect(runs).toBe(0)
    expect((await get(`/prices/52014?addresses=${BOLT}`)).status).toBe(200)
    expect(runs).toBe(1)
  })

  it('checks the answer against the contract before the charge, unless validate is false', async () => {
    const { fake, get } = play()
    fake.stub('etn.price', () => ({ usd: 5 }))
    await expect(get('/prices/etn')).rejects.toThrow(
      'The stub of etn.price does not match the contract: data.usd is a text',
    )
    fake.expectCredits(0)
    fake.stub('etn.price', () => ({ usd: 5 }), { validate: false })
    expect((await get('/prices/etn')).body.data).toEqual({ usd: 5 })
  })

  it.each<[FakeOperation, string, unknown, string]>([
    ['token.list', '/tokens/52014', [{}], 'data[0].address is missing'],
    [
      'token.list',
      '/tokens/52014',
      [{ address: 'x', name: '', symbol: '', decimals: '1', totalSupply: 1 }],
      'data[0].decimals is a whole number',
    ],
    ['prices.batch', `/prices/52014?addresses=${BOLT}`, { [BOLT]: { usd: 1 } }, 'is a text'],
  ])('reports what is wrong in %s', async (operation, path, data, message) => {
    const { fake, get } = play()
    fake.stub(operation, () => data)
    await expect(get(path)).rejects.toThrow(message)
  })

  it('leaves faults in effect, and reports its own exception over HTTP', async () => {
    const { fake, get } = await serve()
    fake.stub('etn.price', () => ({ usd: '7' }))
    fake.fault({ status: 503 })
    expect((await get('/prices/etn')).status).toBe(503)
    expect((await get('/prices/etn')).body.data).toEqual({ usd: '7' })
    fake.stub('etn.price', () => {
      throw new Error('my mistake')
    })
    expect((await get('/prices/etn')).body.error.message).toContain('my mistake')
  })
})

it('a handle of a stub or a fault removes it after restore and reset, too', async () => {
  const { fake, request } = ask()
  const remove = fake.stub('etn.price', () => ({ usd: '7' }))
  const fault = fake.fault({ operation: 'etn.price', status: 500, times: 9 })
  const before = fake.snapshot()
  await request()
  fake.restore(before)
  await request()
  expect(fault.hits).toBe(1)
  fake.reset({ keep: ['faults', 'world'] })
  fault.remove()
  expect([remove(), remove()]).toEqual([true, false])
  const { status, ...answer } = await request().then(async (sent) => ({ status: sent.status, text: await sent.text() }))
  expect(status).toBe(200)
  expect(answer.text).not.toContain('"7"')
})
