import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from 'etn-market'
import { useFakeService } from 'etn-market/fake'
import { test as fixtureTest } from 'etn-market/vitest'
import { afterAll, describe, expect, it } from 'vitest'
import { follow } from '../support/child.ts'

const before = { url: process.env.ETN_MARKET_BASE_URL, key: process.env.ETN_MARKET_API_KEY }

describe('etn-market/vitest', () => {
  const urls = new Set<string | undefined>()

  for (const round of [1, 2]) {
    fixtureTest(
      `gives test ${round} a fake of its own, a client, and an environment that leads to it`,
      async ({ fake, client }) => {
        urls.add(process.env.ETN_MARKET_BASE_URL)
        fake.expectRequests(0)
        await client.etn.price()
        const other = createClient()
        await other.etn.price()
        await other.close()
        fake.expectCredits({ 'etn.price': 50 })
      },
    )
  }

  fixtureTest('lets the client live on the clock of the fake', async ({ fake, client }) => {
    fake.script('etn.price', [{ status: 500 }, 'ok'])
    const price = client.etn.price()
    await expect.poll(() => fake.journal().length).toBe(1)
    await fake.advance(60_000)
    expect(await price).toHaveProperty('usd')
  })

  describe('with options for the fake', () => {
    fixtureTest.override({ fakeOptions: { keys: { mine: 25 } } })
    fixtureTest('passes them on', async ({ fake, client }) => {
      await client.etn.price()
      expect([fake.key, process.env.ETN_MARKET_API_KEY, fake.remaining()]).toEqual(['mine', 'mine', 0])
    })
  })

  afterAll(() => {
    expect(urls.size).toBe(2)
    expect([process.env.ETN_MARKET_BASE_URL, process.env.ETN_MARKET_API_KEY]).toEqual([before.url, before.key])
  })
})

describe('useFakeService', () => {
  it('restores the environment after the test, closes the fake, and reports unused faults', async () => {
    const cleanUps: (() => Promise<void>)[] = []
    const context = { after: (cleanUp: () => Promise<void>) => void cleanUps.push(cleanUp) }
    const fake = await useFakeService(context, { keys: { mine: 100 } })
    expect(process.env.ETN_MARKET_API_KEY).toBe('mine')
    fake.fault({ status: 500 })
    await expect(cleanUps[0]?.()).rejects.toThrow('1 fault was never used up')
    expect([process.env.ETN_MARKET_BASE_URL, process.env.ETN_MARKET_API_KEY]).toEqual([before.url, before.key])
    await expect(fake.fetch(`${fake.baseUrl}/openapi.json`)).rejects.toThrow('fetch failed')
  })

  it('works with node:test, as the example does', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'etn-market-node-test-'))
    const file = join(folder, 'own.test.mjs')
    const source = new URL('../../src/fake/index.ts', import.meta.url).href
    writeFileSync(
      file,
      `import { test } from 'node:test'
       import { useFakeService } from '${source}'
       test('passes', async (t) => {
         const fake = await useFakeService(t)
         const headers = { authorization: 'Bearer ' + process.env.ETN_MARKET_API_KEY }
         await fetch(process.env.ETN_MARKET_BASE_URL + '/prices/etn', { headers })
         fake.expectCredits(25)
       })
       test('fails', async (t) => {
         const fake = await useFakeService(t)
         fake.fault({ status: 500 })
       })`,
    )
    const { NODE_OPTIONS: _, ...env } = process.env
    const tsx = new URL('../../node_modules/tsx/dist/esm/index.mjs', import.meta.url).href
    const example = fileURLToPath(new URL('../../examples/testing/node-test.ts', import.meta.url))
    const args = ['--import', tsx, '--test', '--test-reporter', 'tap', file, example]
    const { stdout: output } = await follow(spawn(process.execPath, args, { env })).ended()
    rmSync(folder, { recursive: true })
    expect(output).toMatch(/^\s*ok \d - passes/m)
    expect(output).toMatch(/^\s*not ok \d - fails/m)
    expect(output).toMatch(/^\s*ok \d - sells when the price falls below the limit/m)
    expect(output).toContain('1 fault was never used up')
  })
})
