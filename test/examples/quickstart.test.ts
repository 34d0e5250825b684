import { fileURLToPath } from 'node:url'
import { operations } from 'etn-market'
import { expect, test } from 'vitest'
import { makeFake } from '../fake/setup.ts'
import { run } from '../support/child.ts'
import { compilePrograms } from '../support/compile-programs.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

const [QUICKSTART = '', FEED = ''] = await compilePrograms('examples/quickstart.ts', 'examples/feed.ts')

/** Runs a program, and returns what it printed. Rejects unless it ends by itself with exit code 0. */
async function print(args: readonly string[], environment: Record<string, string> = {}): Promise<string> {
  const { ETN_MARKET_API_KEY: _, ETN_MARKET_BASE_URL: __, ...inherited } = process.env
  const env = { ...inherited, ...environment }
  const { code, stdout, stderr } = await run(process.execPath, args, { cwd: root, env })
  expect(code, stderr).toBe(0)
  return stdout
}

interface Row {
  operation: string
  /** The predicted worst case. */
  most: number
  charged: number
}

/** The lines of the table: operation, predicted as `100` or `100 to 115`, charged. */
function rowsOf(printed: string): Row[] {
  const lines = printed.matchAll(/^(\w+\.\w+|batch of \d+) {2,}(?:\d+ to )?(\d+) +(\d+) /gm)
  return [...lines].map(([, operation = '', most, charged]) => ({
    operation,
    most: Number(most),
    charged: Number(charged),
  }))
}

const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0)
const figure = (printed: string, pattern: RegExp) => Number(printed.match(pattern)?.[1])
const worstCase = (printed: string) => figure(printed, /^About to spend at most (\d+) credits/)

test('the quickstart without a key calls every operation, for no more than it predicts, and shows a call that does not fit the budget', async () => {
  // As `npm start` does.
  const printed = await print(['--import', 'tsx', 'examples/quickstart.ts'])
  const rows = rowsOf(printed)
  const called = rows.map(({ operation }) => operation)
  expect(called.at(-1)).toBe('batch of 120')
  expect(called.slice(0, -1).sort()).toEqual(Object.keys(operations).sort())
  expect(printed).not.toMatch(/Error|undefined|NaN|another shape/)
  expect(rows.filter(({ most, charged }) => charged > most)).toEqual([])
  expect(sum(rows.map(({ most }) => most))).toBe(worstCase(printed))
  const charged = figure(printed, /^Charged (\d+) credits/m)
  expect(charged).toBe(sum(rows.map((row) => row.charged)))
  expect(charged).toBe(figure(printed, /own ledger says (\d+)\./))
  expect(printed).toMatch(/budget of 40 credits refuses a call of 50, and sends nothing:\n {2}token\.price: /)
})

test('the quickstart with a key prints its worst case first and spends less than a US cent', async () => {
  const fake = makeFake({ keys: { esk_test_live: 1_000_000 } })
  const { url } = await fake.listen()
  const printed = await print([QUICKSTART], { ETN_MARKET_API_KEY: 'esk_test_live', ETN_MARKET_BASE_URL: url })
  expect(worstCase(printed)).toBeGreaterThan(5_000)
  expect(worstCase(printed)).toBeLessThan(10_000)
  expect(rowsOf(printed)).toHaveLength(Object.keys(operations).length + 1)
  expect(fake.charged()).toBe(figure(printed, /^Charged (\d+) credits/m))
  expect(fake.charged()).toBeLessThanOrEqual(worstCase(printed))
  expect(fake.charged()).toBeLessThan(10_000)
  expect(new Set(fake.journal().map(({ operation }) => operation))).toEqual(new Set(Object.keys(operations)))
  expect(printed).not.toContain('esk_test_live')
})

test('the example of a feed prints the plan as a table', async () => {
  const printed = await print([FEED])
  expect(printed).toMatch(/in +due +early +requests +credits/)
  expect(printed).toMatch(/The feed: [\d,]+ credits a day/)
  expect(printed).not.toMatch(/undefined|NaN|Error/)
})
