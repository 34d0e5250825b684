import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { buildMember, type MemberProcess, type MemberProgram } from './processes.ts'
import { BOLT, DAY_MS, OPTIONS, TOKENS, useFleet } from './setup.ts'

const setup = useFleet()
let program: MemberProgram
let baseUrl = ''

beforeAll(async () => {
  program = await buildMember()
})
afterAll(() => program.close())
beforeEach(async () => {
  baseUrl = (await setup.fake.listen()).url
})

/** Several processes start at once, on a machine that may be busy. */
const LEASE_MS = 3_000
const TIMES = { leaseMs: LEASE_MS, timeoutMs: 2_000 }

function start(options = {}): MemberProcess {
  const shared = { redisPort: setup.server.port, baseUrl, apiKey: setup.fake.key }
  const member = program.start({ ...shared, options: { ...OPTIONS, ...TIMES, ...options } })
  setup.onEnd(() => member.kill())
  return member
}

const isLeaseOver = () => new Promise((resolve) => setTimeout(resolve, LEASE_MS + 50))

test('eight processes, some of them killed in flight, never spend more than the limit, and lose no credit', async () => {
  const LIMIT = 20_000
  const budget = { credits: LIMIT, windowMs: DAY_MS }
  const { fleet } = setup.join({ ...TIMES, budget })
  await fleet.initialize()
  setup.fake.fault({ delayMs: 5, times: Number.POSITIVE_INFINITY })
  const members = Array.from({ length: 8 }, () => start({ budget }))
  const spending = members.map((member) => member.run({ type: 'spend', addresses: TOKENS.slice(0, 4) }))
  for (const [index, victim] of members.slice(0, 3).entries()) {
    const from = setup.fake.charged()
    await expect.poll(() => setup.fake.charged()).toBeGreaterThanOrEqual(Math.min(from + 2_000, LIMIT - 8_000))
    await victim.kill()
    members[index] = start({ budget })
    spending[index] = members[index]!.run({ type: 'spend', addresses: TOKENS.slice(0, 4) })
  }
  const reports = await Promise.all(spending)
  expect(reports.map(({ error }) => error)).toEqual(Array(8).fill(undefined))
  await Promise.all(members.map((member) => member.run({ type: 'close' })))
  await expect.poll(async () => (await fleet.status()).reserved).toBe(0)
  const { spent, uncertain, available } = await fleet.status()
  const charged = setup.fake.charged()
  expect(charged).toBeLessThanOrEqual(LIMIT)
  // What the killed processes had in flight is uncertain, and may have been charged; everything else is known exactly.
  expect(charged).toBeGreaterThanOrEqual(spent)
  expect(charged).toBeLessThanOrEqual(spent + uncertain)
  expect(uncertain).toBeLessThanOrEqual(3 * 4 * 50)
  expect(available).toBeLessThan(50)
})

test('a process that is killed in flight: its credits stay, uncertain after the lease, and its slot is free then', async () => {
  const { fleet, client } = setup.join({ ...TIMES, heavyConcurrency: 1 })
  await fleet.initialize()
  setup.fake.fault({ operation: 'farm.list', never: true })
  const member = start({ heavyConcurrency: 1 })
  member.run({ type: 'heavy' })
  await expect.poll(() => setup.fake.journal().length).toBe(1)
  await member.kill()
  expect(await fleet.status()).toMatchObject({ spent: 0, reserved: 3_000, uncertain: 0, slots: { taken: 1 } })
  await client.locks.get({ address: BOLT })
  await expect.poll(async () => (await fleet.status()).spent).toBe(2_000)
  expect(await fleet.status()).toMatchObject({ reserved: 0, uncertain: 3_000, available: 95_000, slots: { taken: 0 } })
})

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
