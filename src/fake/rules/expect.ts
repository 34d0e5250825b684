import { checkValue } from './check.ts'
import { type Charge, type FakeFilter, type History, type Journal, type JournalEntry, outcomeOf } from './journal.ts'
import { type FakeOperation, fakeOperations } from './routes.ts'
import * as is from './schema.ts'

/** A total, or an amount per operation. The amount of an operation that is not named is 0. `unknown`: requests without a route. */
export type Expected = number | Partial<Record<FakeOperation | 'unknown', number>>

const AMOUNTS = Object.fromEntries([...fakeOperations, 'unknown'].map((name): [string, is.Schema] => [name, is.count]))
export const EXPECTED: is.Schema = {
  description: 'A total, or an amount for each operation; `unknown` are requests without a route.',
  anyOf: [is.count, is.object(AMOUNTS)],
}

const MAX_SHOWN = 20

/** Compares the sums of the ledger or the journal, and throws an error that lists the requests concerned. */
export function expectAmounts(
  name: 'ledger' | 'journal',
  expected: Expected,
  filter: FakeFilter,
  histories: { ledger: History<Charge>; journal: Journal },
): void {
  checkValue('expected', EXPECTED, expected)
  const what = name === 'ledger' ? 'credits charged' : 'requests'
  const { journal } = histories
  const actual = histories[name].sums(filter)
  const requests = journal.list(filter)
  const suffix = filter.operation === undefined && filter.key === undefined ? '' : ` (${JSON.stringify(filter)})`
  if (typeof expected === 'number') {
    const total = Object.values(actual).reduce((sum, one) => sum + one, 0)
    if (total === expected) return
    fail(`Expected ${expected} ${what}${suffix}, not ${total}.\n${requestsText(requests, journal)}`, expected, total)
  }
  const wanted = new Map(Object.entries(expected))
  const all = [...new Set<string>([...wanted.keys(), ...Object.keys(actual)])].sort()
  const wantedOf = (name: string) => wanted.get(name) ?? 0
  const wrong = all.filter((name) => wantedOf(name) !== (actual[name] ?? 0))
  if (wrong.length === 0) return
  const lines = wrong.map((name) => `  ${name}: expected ${wantedOf(name)}, not ${actual[name] ?? 0}`)
  const concerned = requests.filter(({ operation }) => wrong.includes(operation ?? 'unknown'))
  const details = requestsText(concerned, journal)
  const nonZero = Object.fromEntries([...wanted].filter(([, n]) => n > 0))
  fail(`Unexpected ${what}${suffix}:\n${lines.join('\n')}\n${details}`, nonZero, actual)
}

export function expectNoUnusedFaults(unused: readonly { label: string; hits: number; times: number }[]): void {
  if (unused.length === 0) return
  const timesText = (times: number) => (Number.isFinite(times) ? times : 'any number of')
  const lines = unused.map(({ label, hits, times }) => `  ${label}: ${hits} of ${timesText(times)} hits`)
  const count = `${unused.length} fault${unused.length === 1 ? ' was' : 's were'}`
  fail(`${count} never used up:\n${lines.join('\n')}`, 0, unused.length)
}

function requestsText(entries: readonly JournalEntry[], { dropped }: Journal): string {
  const missing = dropped === 0 ? '' : `\n  ${dropped} older requests are not listed: see journal.max.`
  if (entries.length === 0) return `No request matches.${missing}`
  const shown = entries.slice(-MAX_SHOWN).map((entry) => `  ${entryText(entry)}`)
  const which = entries.length > shown.length ? `last ${shown.length} of ${entries.length} requests` : 'requests'
  return `The ${which}:\n${shown.join('\n')}${missing}`
}

function entryText(entry: JournalEntry): string {
  const { id, method, path, query, credits, key, fault, delivered } = entry
  const search = Object.entries(query).map(([name, value]) => `${name}=${value}`)
  const notes = [
    `${credits} credits${credits > 0 && !delivered ? ', not delivered' : ''}`,
    key === null ? 'no key' : `key ${key}`,
    ...(fault === null ? [] : [`fault: ${fault}`]),
  ]
  return `#${id} ${method} ${path}${search.length > 0 ? `?${search.join('&')}` : ''}: ${outcomeOf(entry)} (${notes.join(', ')})`
}

/** Test runners show the difference of `expected` and `actual`. */
function fail(message: string, expected: unknown, actual: unknown): never {
  throw Object.assign(new Error(message), { name: 'AssertionError', expected, actual, showDiff: true })
}
