import { expect, test } from 'vitest'
import { TIMES, useProcesses } from './processes.ts'
import { BOLT, DAY_MS, TOKENS, useFleet } from './setup.ts'

const setup = useFleet()
const start = useProcesses(setup)

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
  // The lease of the slot may have ended before that of the reservation.
  await expect
    .poll(() => fleet.status())
    .toMatchObject({ spent: 2_000, reserved: 0, uncertain: 3_000, available: 95_000, slots: { taken: 0 } })
})
