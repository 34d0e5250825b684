import type { Contender } from '../contenders/index.ts'
import type { Outcome } from '../section.ts'
import { type Machine, versionOf } from './machine.ts'

const NONE = '–'

export interface Table {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** What was measured, in tables that are shown where it ran and in the README. */
export interface Report {
  readonly heading: string
  readonly tables: readonly Table[]
}

export function report(
  outcomes: readonly Outcome[],
  contenders: readonly Contender[],
  rounds: number,
  machine: Machine,
): Report {
  const claims = outcomes.flatMap(({ claims = [] }) => claims)
  const tables = [
    clientTable(outcomes, contenders),
    {
      head: ['', 'Measured', 'Target'],
      rows: claims.map(({ what, measured, target = NONE }) => [what, measured, target]),
    },
  ]
  return { heading: headingOf(rounds, machine), tables: tables.filter(({ rows }) => rows.length > 0) }
}

function clientTable(outcomes: readonly Outcome[], contenders: readonly Contender[]): Table {
  const columns = outcomes.flatMap(({ column }) => (column ? [column] : []))
  const seen = contenders.filter(({ id }) => columns.some(({ cells }) => cells[id] !== undefined))
  const rows = seen.map(({ id, title, peer }) => [
    peer === undefined ? title : `${title} ${versionOf(peer)}`,
    ...columns.map(({ cells }) => cells[id] ?? NONE),
  ])
  const targets = seen
    .filter(({ id }) => columns.some((column) => column.targets[id] !== undefined))
    .map(({ id, title }) => [
      `target of ${title}`,
      ...columns.map((column) => (column.targets[id] === undefined ? NONE : `at most ${column.targets[id]}`)),
    ])
  const head = ['', ...columns.map(({ title }) => title)]
  return { head, rows: columns.length === 0 ? [] : [...rows, ...targets] }
}

function headingOf(rounds: number, { date, cpu, node, pinned }: Machine): string {
  const cores = pinned ? 'client and server on a core each' : 'unpinned'
  return (
    `${date.slice(0, 10)}, ${cpu}, Node ${node}, ${cores}, ${rounds} interleaved rounds: CPU of the client a call, ` +
    `over that of bare \`fetch\` and \`json()\`; cold start in ms over it; medians (and quartiles); ✗ misses its target.`
  )
}
