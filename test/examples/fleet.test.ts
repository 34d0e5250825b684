import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, type TestContext, test } from 'vitest'
import { type Child, follow } from '../support/child.ts'
import { compilePrograms } from '../support/compile-programs.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const SHORT = ['--credits', '8000', '--processes', '2', '--kill-every-ms', '1000']
/** The program itself ends after 60 s. */
const MAX_RUN_MS = 100_000

const [FLEET = ''] = await compilePrograms('examples/fleet/fleet.ts', 'examples/fleet/worker.ts')

function startFleet(args: readonly string[], env: NodeJS.ProcessEnv = {}): Child {
  const { REDIS_URL: _, ...inherited } = process.env
  return follow(spawn(process.execPath, [FLEET, ...args], { cwd: root, env: { ...inherited, ...env } }))
}

/** The figure after each of these words, in this order. */
function figures(printed: string, pattern: RegExp): number[] {
  const match = pattern.exec(printed)
  expect(match, printed).not.toBeNull()
  return (match ?? []).slice(1).map((figure) => Number(figure.replaceAll(',', '')))
}

function proofOf(printed: string) {
  const [charged = NaN, limit = NaN] = figures(printed, /service charged ([\d,]+) credits.* limit is ([\d,]+)\./)
  const [spent = NaN, uncertain = NaN, lost = NaN] = figures(
    printed,
    /fleet knows ([\d,]+) as spent and ([\d,]+) as uncertain: ([\d,]+) of those/,
  )
  const [spentAfter, uncertainAfter] = figures(printed, /balance, it knows ([\d,]+) as spent and ([\d,]+) as uncertain/)
  return { charged, limit, spent, uncertain, lost, spentAfter, uncertainAfter }
}

/** The processes that a run has started, redis-server included. */
function pidsOf(printed: string): number[] {
  return [...printed.matchAll(/\bpid (\d+)/g)].map(([, pid]) => Number(pid))
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test.concurrent('a fleet whose processes are killed spends exactly its budget, proves it and leaves no process behind', async ({
  expect,
}) => {
  const run = startFleet(SHORT)
  expect((await run.ended(MAX_RUN_MS)).code, run.printed()).toBe(0)
  const printed = run.printed()
  const { charged, limit, spent, uncertain, lost, spentAfter, uncertainAfter } = proofOf(printed)
  expect(limit).toBe(8_000)
  expect(charged).toBeGreaterThan(0)
  expect(charged).toBeLessThanOrEqual(limit)
  expect(charged - spent).toBe(lost)
  expect(lost).toBeLessThanOrEqual(uncertain)
  // What is left buys not even the cheapest call.
  expect(limit - spent - uncertain).toBeLessThan(25)
  expect({ spentAfter, uncertainAfter }).toEqual({ spentAfter: charged, uncertainAfter: 0 })

  const [killed = 0] = figures(printed, /used up after [\d.]+ s\. (\d+) processes were killed/)
  expect(killed).toBeGreaterThan(0)
  expect(uncertain).toBeGreaterThan(0)
  expect(printed.match(/was killed while its request was in flight/g)).toHaveLength(killed)
  expect(new Set(pidsOf(printed)).size).toBe(1 + 2 + killed)
  expect(pidsOf(printed).filter(isAlive)).toEqual([])
  // Not a terminal.
  expect(printed).not.toContain('\x1b')
}, 120_000)

describe.concurrent('a run that buys', () => {
  async function startBuying({ expect }: TestContext): Promise<Child & { pids: number[] }> {
    const run = startFleet(['--processes', '1', '--kill-every-ms', '60000'])
    await expect.poll(run.printed, { timeout: 60_000 }).toMatch(/^[\d.]+ s: limit 100,000, spent [1-9]/m)
    const pids = pidsOf(run.printed())
    expect(pids.filter(isAlive)).toHaveLength(2)
    return { ...run, pids }
  }

  test('ends on Ctrl-C with the proof, and leaves no process behind', async (context) => {
    const { expect } = context
    const { process, ended, printed, pids } = await startBuying(context)
    process.kill('SIGINT')
    expect((await ended(MAX_RUN_MS)).code, printed()).toBe(0)
    const { charged, spentAfter, uncertainAfter } = proofOf(printed())
    expect(printed()).toMatch(/^Stopped after /m)
    expect(charged).toBeGreaterThan(0)
    expect({ spentAfter, uncertainAfter }).toEqual({ spentAfter: charged, uncertainAfter: 0 })
    expect(pids.filter(isAlive)).toEqual([])
  }, 120_000)

  test('leaves no process behind when it is killed itself', async (context) => {
    const { expect } = context
    const { process, pids } = await startBuying(context)
    process.kill('SIGKILL')
    await expect.poll(() => pids.filter(isAlive), { timeout: 30_000 }).toEqual([])
  }, 120_000)
})

describe.concurrent('without a Redis', () => {
  test('says what to install', async ({ expect }) => {
    const run = startFleet([], { PATH: '' })
    expect((await run.ended()).code).toBe(1)
    expect(run.printed()).toContain('No Redis was found.')
    expect(run.printed()).toContain('Install redis-server 7.0 or newer')
  }, 60_000)

  test('at REDIS_URL reports the fleet and the cause', async ({ expect }) => {
    const run = startFleet([], { REDIS_URL: 'redis://127.0.0.1:1' })
    expect((await run.ended()).code).toBe(1)
    expect(run.printed()).toMatch(/The fleet "example-[\w-]+" cannot read or write its state in Redis\..*\nThe cause: /)
  }, 60_000)
})
