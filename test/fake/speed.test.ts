import { expect, it } from 'vitest'
import { createFakeService } from '../../src/fake/index.ts'
import { BOLT, makeFake } from './setup.ts'

/** Milliseconds of CPU, which other programs on the machine do not change. */
function cpuMs(since?: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1_000
}

/** Answers per second of CPU of a request that is repeated. */
async function rateOf(path: string, count: number): Promise<number> {
  const fake = makeFake()
  const get = async () =>
    (await fake.fetch(fake.baseUrl + path, { headers: { authorization: `Bearer ${fake.key}` } })).text()
  for (let i = 0; i < 50; i++) await get()
  const started = process.cpuUsage()
  for (let i = 0; i < count; i++) await get()
  return (count * 1_000) / cpuMs(started)
}

// The target is 500; half of it leaves room for slower machines.
it.each([
  ['500 candles of 1d', `/tokens/52014/${BOLT}/candles?bucket=1d&limit=500`],
  ['a year of history', `/tokens/52014/${BOLT}/history?duration=YEAR`],
])('answers %s more than 250 times a second of CPU', async (_, path) => {
  expect(await rateOf(path, 300)).toBeGreaterThan(250)
})

it('200 fakes side by side answer three requests each in less than 2 s of CPU', async () => {
  const started = process.cpuUsage()
  await Promise.all(
    Array.from({ length: 200 }, async (_, i) => {
      const fake = createFakeService({ seed: i })
      const headers = { authorization: `Bearer ${fake.key}` }
      for (const path of ['/prices/etn', `/prices/52014/${BOLT}`, '/tokens/52014?limit=5'])
        await fake.fetch(fake.baseUrl + path, { headers })
      await fake.close()
    }),
  )
  expect(cpuMs(started)).toBeLessThan(2_000)
})
