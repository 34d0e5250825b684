import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBudget } from '../../src/credits/budget.ts'
import { type Ended, run } from '../support/child.ts'

const LIMIT = 400
const clock = { now: () => Date.UTC(2026, 10, 20, 12) }
let folder = ''
let program = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'budget-crash-'))
  program = join(folder, 'child.mjs')
  const child = fileURLToPath(new URL('./crash-child.ts', import.meta.url))
  await build({ entryPoints: [child], outfile: program, bundle: true, platform: 'node', format: 'esm' })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a process that kills itself at one step; resolves with its signal and what it printed. */
function runChild(at: string, killAt: number, exclusiveKey: boolean): Promise<Ended> {
  return run(process.execPath, [program, at, String(LIMIT), String(killAt), String(exclusiveKey)])
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

function ledgerOf(at: string): number {
  const lines = read(join(at, 'ledger'))?.trim().split('\n') ?? []
  return lines.reduce((sum, credits) => sum + Number(credits), 0)
}

async function expectSafe(at: string, message: string): Promise<void> {
  const store = { get: (key: string) => read(join(at, encodeURIComponent(key))), set: () => {} }
  const budget = createBudget({ credits: LIMIT, windowMs: 86_400_000, store }, clock)
  await budget.load()
  const { spent, reserved, uncertain } = budget
  expect(reserved, message).toBe(0)
  expect(spent + uncertain, message).toBeGreaterThanOrEqual(ledgerOf(at))
  expect(spent + uncertain, message).toBeLessThanOrEqual(LIMIT)
}

test('killed between any two steps, a restart counts all that was charged, and never more than the limit', async () => {
  const alive = await runChild(mkdtempSync(join(folder, 'alive-')), 0, true)
  expect(alive.code).toBe(0)
  const steps = Number(alive.stdout)
  expect(steps).toBeGreaterThan(30)
  let killAt = 0
  const killAtNextSteps = async () => {
    while (killAt < steps) {
      const step = ++killAt
      const at = mkdtempSync(join(folder, `killed-${step}-`))
      expect(await runChild(at, step, true), `step ${step}`).toMatchObject({ code: null })
      await expectSafe(at, `step ${step}`)
    }
  }
  await Promise.all(Array.from({ length: 4 }, killAtNextSteps))
}, 60_000)

test('killed again and again at other steps, without exclusiveKey, it ends with a budget that is used up, not exceeded', async () => {
  const at = mkdtempSync(join(folder, 'again-'))
  for (const killAt of [5, 9, 14, 23, 30, 7, 4, 12, 0]) {
    await runChild(at, killAt, false)
    await expectSafe(at, `after ${killAt}`)
  }
  expect((await runChild(at, 0, false)).stdout).toBe('BudgetExceededError')
  expect(ledgerOf(at)).toBeLessThanOrEqual(LIMIT)
  expect(ledgerOf(at)).toBeGreaterThan(0)
})
