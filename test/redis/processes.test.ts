import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { within } from '../support/wait.ts'
import type { Report, Start, Task } from './member-process.ts'
import { BOLT, OPTIONS, useFleet } from './setup.ts'

/** Several processes start at once, on a machine that may be busy. */
const LEASE_MS = 3_000
const TIMES = { leaseMs: LEASE_MS, timeoutMs: 2_000 }
const isLeaseOver = () => new Promise((resolve) => setTimeout(resolve, LEASE_MS + 50))

const setup = useFleet()
const folder = mkdtempSync(join(tmpdir(), 'etn-market-member-'))
const program = join(folder, 'member.cjs')
let baseUrl = ''
beforeAll(async () => {
  const source = fileURLToPath(new URL('./member-process.ts', import.meta.url))
  await build({ entryPoints: [source], outfile: program, bundle: true, platform: 'node', logLevel: 'error' })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))
beforeEach(async () => {
  baseUrl = (await setup.fake.listen()).url
})

/** A member in a process of its own. */
function start(options = {}) {
  const all = { ...OPTIONS, ...TIMES, ...options }
  const member: Start = { redisPort: setup.server.port, baseUrl, apiKey: setup.fake.key, options: all }
  const child = fork(program, [JSON.stringify(member)], { execArgv: [] })
  const ended = once(child, 'exit')
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  setup.onEnd(kill)
  return {
    kill,
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    /** Resolves with the report of a task; a process that ends before makes an empty one. */
    async run(task: Task): Promise<Report> {
      child.send(task)
      const reported = once(child, 'message')
      const [report] = await within(`the report of ${task}`, Promise.race([reported, ended.then(() => [{}])]))
      return report
    },
  }
}

// What a fleet of them spends while they are killed: `test/examples/fleet.test.ts`.
test('a process that is killed in flight: its credits stay, uncertain after the lease, and its slot is free then', async () => {
  const { fleet, client } = setup.join({ ...TIMES, heavyConcurrency: 1 })
  await fleet.initialize()
  setup.fake.fault({ operation: 'farm.list', never: true })
  const member = start({ heavyConcurrency: 1 })
  member.run('heavy')
  await expect.poll(() => setup.fake.journal().length).toBe(1)
  await member.kill()
  expect(await fleet.status()).toMatchObject({ spent: 0, reserved: 3_000, uncertain: 0, slots: { taken: 1 } })
  await client.locks.get({ address: BOLT })
  // The lease of the slot may have ended before that of the reservation.
  await expect
    .poll(() => fleet.status())
    .toMatchObject({ spent: 2_000, reserved: 0, uncertain: 3_000, available: 95_000, slots: { taken: 0 } })
})

test('a process that is paused for longer than its lease: its late end frees no slot of another, and its charge counts once', async () => {
  const { fleet } = setup.join({ ...TIMES, heavyConcurrency: 1 })
  await fleet.initialize()
  const firstAnswer = setup.hold('farm.list', 1)
  const [paused, other] = [start({ heavyConcurrency: 1 }), start({ heavyConcurrency: 1 })]
  const late = paused.run('heavy')
  await expect.poll(() => setup.fake.journal().length).toBe(1)
  paused.pause()
  firstAnswer()
  await isLeaseOver()
  expect(await fleet.status()).toMatchObject({ spent: 0, uncertain: 3_000, slots: { taken: 0 } })
  const answer = setup.hold('farm.list')
  const successor = other.run('heavy')
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
  const answer = setup.hold('farm.list')
  const late = member.run('heavy')
  await expect.poll(() => setup.fake.journal().length).toBe(1)
  const { resetsAt } = await fleet.status()
  member.pause()
  answer()
  await expect.poll(async () => (await fleet.status()).resetsAt).toBeGreaterThan(resetsAt!)
  member.resume()
  expect((await late).error).toBeUndefined()
  await member.run('close')
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
  const call = member.run('heavy')
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
