import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { DAY, MINUTE, noted, some, stage } from './setup.ts'

test('the plan is what then happens', async () => {
  const { feed, fake, clock } = stage()
  noted(feed, some(14), 5 * MINUTE)
  await clock.advance(2 * MINUTE)
  noted(feed, some(9, 10), 10 * MINUTE)
  noted(feed, some(1, 30), 7 * MINUTE)
  await clock.advance(30 * MINUTE)
  const { calls, cost, onePerConsumer, stretch } = feed.explain({ calls: 20 })
  expect(calls).toHaveLength(20)
  expect(stretch).toBe(1)
  const before = fake.charged()
  const sent = fake.journal().length
  const last = calls.at(-1)
  await clock.advance((last?.at ?? 0) - clock.now())
  expect(fake.charged() - before).toBe(calls.reduce((sum, { credits }) => sum + credits, 0))
  expect(fake.journal().length - sent).toBe(calls.reduce((sum, { requests }) => sum + requests, 0))
  const charged = fake.charged()
  await clock.advance(DAY)
  expect((fake.charged() - charged) / cost.creditsPerDay).toBeCloseTo(1, 1)
  expect(onePerConsumer).toEqual({
    creditsPerDay: expect.closeTo(288 * 240 + 144 * 190 + (1_440 / 7) * 50, 3),
    usdPerDay: expect.closeTo(0.106_766, 4),
    requestsPerDay: expect.closeTo(288 + 144 + 1_440 / 7, 3),
  })
  expect(cost.creditsPerDay).toBeLessThan(onePerConsumer.creditsPerDay)
})

test('also when the watches have to go each their own way', async () => {
  const { feed, fake, clock } = stage()
  const { stop } = noted(feed, some(24), MINUTE)
  await clock.advance(MINUTE / 3)
  noted(feed, some(48, 9), MINUTE)
  await clock.advance(5 * MINUTE)
  stop()
  const { calls } = feed.explain({ calls: 60 })
  // They begin as two groups; when that has cost too much they become one.
  expect(calls[0]?.credits).toBeLessThan(580)
  expect(calls.at(-1)?.credits).toBe(580)
  const before = fake.charged()
  await clock.advance((calls.at(-1)?.at ?? 0) - clock.now())
  expect(fake.charged() - before).toBe(calls.reduce((sum, { credits }) => sum + credits, 0))
})

test('nobody watching, nothing planned', () => {
  const { feed } = stage()
  const nothing = { creditsPerDay: 0, usdPerDay: 0, requestsPerDay: 0 }
  expect(feed.explain()).toEqual({ calls: [], stretch: 1, cost: nothing, onePerConsumer: nothing })
})

test('the example prints the plan as a table', async () => {
  const root = fileURLToPath(new URL('../../', import.meta.url))
  const { stdout } = await promisify(execFile)(`${root}node_modules/.bin/tsx`, ['examples/feed.ts'], { cwd: root })
  expect(stdout).toMatch(/in +due +riders +requests +credits/)
  expect(stdout).toMatch(/The feed: [\d,]+ credits a day/)
  expect(stdout).not.toMatch(/undefined|NaN|Error/)
})
