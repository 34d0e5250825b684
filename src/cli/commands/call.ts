import { creditsToUsd, operations, PartialBatchError } from 'etn-market'
import { isObject } from '../../operations/type-guards.ts'
import { cleanLine } from '../../utils/clean-line.ts'
import {
  addParamOptions,
  estimateCall,
  methodOf,
  type ParamOptions,
  readOperation,
  readParams,
} from '../call-params.ts'
import { addExample, addServiceOptions } from '../common-options.ts'
import { formatCredits, formatItems } from '../output.ts'
import type { AddCommand } from '../program.ts'
import { type CommonOptions, inSession, type Session } from '../session.ts'
import { printTable } from '../table.ts'

/** Adds `etn-market cost`, which sends nothing. With `--json` it prints `{ operation, min, max, requests, usd }`. */
export const addCostCommand: AddCommand = (program, host) => {
  const command = program
    .command('cost <operation>')
    .description('What a call costs, in credits and US dollars. Sends nothing.')
    .option('--json', 'print { operation, min, max, requests, usd }; usd is of max')
  addParamOptions(command).action(
    inSession<CommonOptions & ParamOptions, [string]>(host, async (session, options, name) => {
      const operation = readOperation(name)
      const { min, max, requests } = estimateCall(operation, await readParams(session, options))
      const cost = max === 0 ? 'free' : formatCredits(min, max)
      if (session.json) session.printJson({ operation, min, max, requests, usd: creditsToUsd(max) })
      else session.print(`${operation}: ${cost}, ${formatItems(requests, 'request')}.`)
    }),
  )
  addExample(command, 'cost token.list --limit 20')
}

/** Adds `etn-market call`. It prints the service's data alone: as JSON, or without `--json` on a terminal a list as a table. */
export const addCommand: AddCommand = (program, host) => {
  const command = program
    .command('call <operation>')
    .description('Call an operation and print its data: JSON, on a terminal a list as a table.')
  addServiceOptions(addParamOptions(command)).action(
    inSession<CommonOptions & ParamOptions, [string]>(host, async (session, options, name) => {
      const operation = readOperation(name)
      const params = await readParams(session, options)
      const { requests, ...cost } = estimateCall(operation, params)
      const client = await session.client({ keyless: 'keyless' in operations[operation] })
      await session.authorize({ what: operation, ...cost, note: formatItems(requests, 'request') })
      const data = await methodOf(client, operation)(params, { signal: session.signal }).catch((error: unknown) => {
        // The prices of a batch that arrived are paid for. With `--json` they are in the error.
        if (error instanceof PartialBatchError && !session.json) printData(session, error.prices)
        throw error
      })
      if (session.json) session.printJson(data)
      else printData(session, data)
    }),
  )
  addExample(command, 'call token.candles --address 0x043f…a1 --bucket 1h --limit 5', 'call prices.batch --addresses -')
}

type Fields = Readonly<Record<string, unknown>>

/** Prints data of the service: as JSON, and a list of flat objects on a terminal as a table. */
function printData(session: Session, data: unknown): void {
  const rows = session.host.stdout.isTTY ? toRows(data) : undefined
  if (rows === undefined || rows.length === 0) {
    session.printJson(data)
    return
  }
  const titles = [...new Set(rows.flatMap(Object.keys))]
  const columns = titles.map((title, index) => ({
    title: cleanLine(title),
    // The first one says what a row is of.
    ...(index > 0 && { dropOrder: index }),
    align: rows.every((row) => typeof row[title] === 'number') ? ('right' as const) : ('left' as const),
  }))
  printTable(
    session,
    columns,
    rows.map((row) => titles.map((title) => formatScalar(row[title]))),
  )
}

/** A list of flat objects, or an object of them whose keys become a column; undefined for anything else. */
function toRows(data: unknown): Fields[] | undefined {
  const isFlat = (value: unknown): value is Fields => isObject(value) && Object.values(value).every(isScalar)
  if (Array.isArray(data)) return data.every(isFlat) ? data : undefined
  if (!isObject(data)) return undefined
  const entries = Object.entries(data)
  const known = entries.filter(([, value]) => value !== null)
  if (known.length === 0 || !known.every(([, value]) => isFlat(value))) return undefined
  return entries.map(([key, value]) => ({ key, ...(value as Fields | null) }))
}

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null

function formatScalar(value: unknown): string {
  return value === null || value === undefined ? '-' : cleanLine(String(value))
}
