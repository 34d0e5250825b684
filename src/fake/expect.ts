import { asCount, asOneOf } from './input.ts'
import type { JournalEntry } from './journal.ts'
import type { Charge } from './ledger.ts'
import { type FakeOperation, fakeOperations } from './routes.ts'
import type { Run } from './run.ts'

/** A total, or what each operation comes to; operations that are not named come to nothing. */
export type Expected = number | Partial<Record<FakeOperation, number>>

export function expectCredits(run: Run, expected: Expected): void {
  const charges = run.ledger.list()
  const actual = tally(charges, ({ operation, credits }) => [operation, credits])
  compare('credits charged', expected, actual, () => ledgerText(charges))
}

export function expectRequests(run: Run, expected: Expected): void {
  const entries = run.journal.list()
  const actual = tally(entries, ({ operation }) => [operation ?? 'unknown', 1])
  compare('requests', expected, actual, () => journalText(entries))
}

export function expectNoUnusedFaults(run: Run): void {
  const unused = run.faults.unused()
  if (unused.length === 0) return
  const lines = unused.map(
    ({ label, hits, times }) => `  ${label}: ${hits} of ${Number.isFinite(times) ? times : 'any number of'} hits`,
  )
  fail(
    `${unused.length} fault${unused.length === 1 ? ' was' : 's were'} never used up:\n${lines.join('\n')}`,
    0,
    unused.length,
  )
}

function compare(what: string, expected: Expected, actual: Record<string, number>, details: () => string): void {
  if (typeof expected === 'number') {
    const total = Object.values(actual).reduce((sum, one) => sum + one, 0)
    if (total === asCount('The expected number', expected)) return
    fail(`Expected ${expected} ${what}, not ${total}.\n${details()}`, expected, total)
  }
  const wanted = Object.entries(expected).filter(
    ([name, n]) => asCount(asOneOf('operation', name, fakeOperations), n) > 0,
  )
  const names = [...new Set([...wanted.map(([name]) => name), ...Object.keys(actual)])].sort()
  const known = new Map(wanted)
  const wrong = names.filter((name) => (known.get(name) ?? 0) !== (actual[name] ?? 0))
  if (wrong.length === 0) return
  const lines = wrong.map((name) => `  ${name}: expected ${known.get(name) ?? 0}, not ${actual[name] ?? 0}`)
  fail(`Unexpected ${what}:\n${lines.join('\n')}\n${details()}`, Object.fromEntries(wanted), actual)
}

function tally<T>(all: T[], read: (one: T) => [name: string, amount: number]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const one of all) {
    const [name, amount] = read(one)
    if (amount !== 0) sums[name] = (sums[name] ?? 0) + amount
  }
  return sums
}

function ledgerText(charges: Charge[]): string {
  const lines = fakeOperations.flatMap((operation) => {
    const own = charges.filter((charge) => charge.operation === operation)
    if (own.length === 0) return []
    const credits = own.reduce((sum, charge) => sum + charge.credits, 0)
    const lost = own.filter(({ delivered }) => !delivered).length
    return [`  ${operation}: ${own.length} charged, ${credits} credits${lost > 0 ? `, ${lost} not delivered` : ''}`]
  })
  return lines.length === 0 ? 'The ledger is empty.' : `The ledger:\n${lines.join('\n')}`
}

function journalText(entries: JournalEntry[]): string {
  const shown = entries
    .slice(-20)
    .map(({ id, method, path, status, code }) =>
      `  #${id} ${method} ${path}: ${status ?? 'no answer'} ${code ?? ''}`.trimEnd(),
    )
  if (shown.length === 0) return 'The journal is empty.'
  return `The journal${entries.length > shown.length ? `, last ${shown.length} of ${entries.length}` : ''}:\n${shown.join('\n')}`
}

/** Test runners show `expected` and `actual` side by side. */
function fail(message: string, expected: unknown, actual: unknown): never {
  throw Object.assign(new Error(message), { name: 'AssertionError', expected, actual, showDiff: true })
}
