import { expect, test } from 'vitest'
import { LEASE_MS, TIMES, useProcesses } from './processes.ts'
import { useFleet } from './setup.ts'

const setup = useFleet()
const start = useProcesses(setup)
const isLeaseOver = () => new Promise((resolve) => setTimeout(resolve, LEASE_MS + 50))

test('a process that is paused for longer than its lease: its late end frees no slot of another, and its charge counts once', async () => {
  const { fleet } = setup.join({ ...TIMES, heavyConcurrency: 1 })
  await fleet.initialize()
  setup.fake.fault({ operation: 'farm.list', delayMs: 200 })
  const [paused, other] = [start({ heavyConcurrency: 1 }), start({ heavyConcurrency: 1 })]
  const late = paused.run({ type: 'heavy' })
  await expect.poll(() => setup.fake.journal().length).toBe(1)
  paused.pause()
  await isLeaseOver()
  expect(await fleet.status()).toMatchObject({ spent: 0, uncertain: 3_000, slots: { taken: 0 } })
  const answer = setup.hold('farm.list')
  const successor = other.run({ type: 'heavy' })
  await expect.poll(() => setup.fake.journal().length).toBe(2)
  paused.resume()
  expect((await late).error).toBeUndefined()
  await expect.poll(async () => (await fleet.status()).spent).toBe(3_000)
  expect(await fleet.status()).toMatchObject({ spent: 3_000, reserved: 3_000, uncertain: 0, slots: { taken: 1 } })
  answer()
  expect((await successor).error).toBeUndefined()
  await expect.poll(async () => (await fleet.status()).spent).toBe(6_000)
  expect(setup.fake.charged()).toBe(6_000)
})

test('a process that is paused into the next window: its charge counts in the window in which it was sent', async () => {
  const windowMs = 4_000
  const budget = { credits: 10_000, windowMs }
  const { fleet } = setup.join({ ...TIMES, budget })
  await fleet.initialize()
  const member = start({ budget })
  setup.fake.fault({ operation: 'farm.list', delayMs: 100 })
  const late = member.run({ type: 'heavy' })
  await expect.poll(() => setup.fake.journal().length).toBe(1)
  const { resetsAt } = await fleet.status()
  member.pause()
  await expect.poll(async () => (await fleet.status()).resetsAt).toBeGreaterThan(resetsAt!)
  member.resume()
  expect((await late).error).toBeUndefined()
  await member.run({ type: 'close' })
  expect((await fleet.status()).spent).toBe(0)
  const index = Math.round(resetsAt! / windowMs) - 1
  const counts = await Promise.all(
    [index, index - 1].map((window) => setup.server.command('HGET', '{etn-market:bots}:state', `s${window}`)),
  )
  expect(counts.join()).toContain('3000')
})

test('a process that is paused before it sends asks again, and does not send into a window that has no room', async () => {
  const budget = { credits: 3_000, windowMs: 4_000 }
  const { fleet, client } = setup.join({ ...TIMES, budget })
  await fleet.initialize()
  const held = setup.fake.holdHeavySlot()
  setup.fake.fault({ operation: 'farm.list', status: 503, code: 'server_busy', retryAfter: 1 })
  const member = start({ budget })
  const call = member.run({ type: 'heavy' })
  await expect.poll(() => setup.fake.journal().length).toBe(1)
  member.pause()
  const { resetsAt } = await fleet.status()
  await expect.poll(async () => (await fleet.status()).resetsAt).toBeGreaterThan(resetsAt!)
  await client.etn.price()
  await expect.poll(async () => (await fleet.status()).spent).toBe(25)
  member.resume()
  expect((await call).error).toEqual({ name: 'BudgetExceededError', code: 'budget_exceeded' })
  held()
  expect(setup.fake.journal({ operation: 'farm.list' })).toHaveLength(1)
})
