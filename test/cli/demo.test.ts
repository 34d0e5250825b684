import { expect, test } from 'vitest'
import { createScene } from './program.ts'

test('the demo prints the same each time, in lines of 80 columns, without a key or a request', async () => {
  const { run, fake } = await createScene()
  // Neither is used: where nothing listens, a request would fail.
  const env = { ETN_MARKET_API_KEY: '', ETN_MARKET_BASE_URL: 'http://127.0.0.1:1/v1' }
  const first = await run(['demo'], { env })
  expect([first.code, first.stderr]).toEqual([0, ''])
  expect(await run(['demo'], { env })).toEqual(first)
  expect(first.stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
  // A watch, an alert, a batch that fails half, and the ledger.
  expect(first.stdout.match(/BOLT {2}0\.0\d+ USD/g)).toHaveLength(5)
  expect(first.stdout).toContain('Alert: BOLT is below 0.04 USD: 0.0396')
  expect(first.stdout).toContain('50 prices arrived, 50 are missing.')
  expect(first.stdout).toContain('600 credits were charged, perhaps 600 more: they count, too.')
  expect(first.stdout).toMatch(/token\.price +5 +250\n +prices\.batch +3 +1,800 +1 answer lost\n/)
  expect(first.stdout).toMatch(/service charged +2,050[\s\S]*client counted +2,050/)
  expect(fake.journal()).toEqual([])
})
