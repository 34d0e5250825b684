import type { Contender } from '../contenders/index.ts'
import { CLIENT_TABLES, type Column, type SectionResult } from '../section.ts'
import { type Machine, versionOf } from './machine.ts'

const NONE = '–'

export interface Table {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** The tables of a run, for the terminal and for the README. */
export interface Report {
  readonly heading: string
  readonly tables: readonly Table[]
}

export function createReport(
  results: readonly SectionResult[],
  contenders: readonly Contender[],
  rounds: number,
  machine: Machine,
): Report {
  const columns = results.flatMap(({ columns = [] }) => columns)
  const clientTables = Object.entries(CLIENT_TABLES).map(([table, title]) =>
    clientTable(
      title,
      columns.filter((column) => column.table === table),
      contenders,
    ),
  )
  const metrics = results.flatMap(({ metrics = [] }) => metrics)
  const metricTable = {
    head: ['etn-market alone', 'Measured', 'Target'],
    rows: metrics.map(({ name, measured, target = NONE }) => [name, measured, target]),
  }
  const tables = [...clientTables, metricTable].filter(({ rows }) => rows.length > 0)
  return { heading: headingOf(rounds, machine), tables }
}

function clientTable(title: string, columns: readonly Column[], contenders: readonly Contender[]): Table {
  const measured = contenders.filter(({ id }) => columns.some(({ cells }) => cells[id] !== undefined))
  const rows = measured.map((contender) => [
    titleOf(contender),
    ...columns.map(({ cells }) => cells[contender.id] ?? NONE),
  ])
  const targets = measured
    .filter(({ id }) => columns.some((column) => column.targets[id] !== undefined))
    .map(({ id, title }) => [
      `target of ${title}`,
      ...columns.map((column) => (column.targets[id] === undefined ? NONE : `at most ${column.targets[id]}`)),
    ])
  return { head: [title, ...columns.map((column) => column.title)], rows: [...rows, ...targets] }
}

function titleOf({ title, packages = [] }: Contender): string {
  const [only, ...others] = packages
  if (only === undefined) return title
  if (others.length === 0) return `${title} ${versionOf(only)}`
  return `${title}: ${packages.map((name) => `${name} ${versionOf(name)}`).join(', ')}`
}

function headingOf(rounds: number, { date, cpu, node, isPinned }: Machine): string {
  const cores = isPinned ? 'client and server on a core each' : 'unpinned'
  return (
    `${date.slice(0, 10)}, ${cpu}, Node ${node}, ${cores}, ${rounds} interleaved rounds. ` +
    `Medians (and quartiles); ✗ misses its target.`
  )
}
