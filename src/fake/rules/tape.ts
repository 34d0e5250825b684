import { checkValue, FakeUsageError } from './check.ts'
import type { AdmittedCall, QueryResult } from './execute.ts'
import { Rejection } from './reply.ts'
import { type FakeOperation, givenParams } from './routes.ts'
import * as is from './schema.ts'

/** An answer of the service on a tape. */
export interface TapeEntry {
  /** The operation that was called. */
  operation: FakeOperation
  /** The parameters that were sent. A batch of more than 50 addresses has an entry for each request. */
  params: Record<string, unknown>
  /** The data of a success, as it came. */
  data?: unknown
  /** The `cursor` beside the data. @default null */
  cursor?: string | undefined
  /** The error, if it was none. */
  error?:
    | {
        /** HTTP status. */
        status: number
        /** Code of the error. */
        code: string
        /** Message of the error. */
        message: string
      }
    | undefined
}

/** Recorded answers, for the `tape` option. It is JSON. */
export interface Tape {
  /** Marks a tape. */
  format: 'etn-market-tape'
  /** Version of the format. */
  version: 1
  /** The answers in the order in which they were recorded. */
  entries: TapeEntry[]
}

const ERROR = is.record({ status: { type: 'integer', minimum: 400, maximum: 599 }, code: is.text, message: is.text })
const ENTRY = is.object(
  { operation: is.operation, params: { type: 'object' }, data: {}, cursor: is.text, error: ERROR },
  ['operation', 'params'],
)

export class TapePlayer {
  readonly #byRequest = new Map<string, TapeEntry[]>()
  readonly #prices: Map<string, unknown>
  /** How often each request was played. Replaced and never changed, so that snapshots share it. */
  state: ReadonlyMap<string, number> = new Map()

  constructor({ entries }: Tape) {
    for (const entry of entries) {
      const name = requestName(entry.operation, entry.params)
      this.#byRequest.set(name, [...(this.#byRequest.get(name) ?? []), entry])
    }
    this.#prices = recordedPrices(entries)
  }

  /** The recorded answer: for equal requests the first, the second … and then the last one. */
  play(call: AdmittedCall): QueryResult | undefined {
    const { operation } = call.match
    const name = requestName(operation, givenParams(call.match, call.query))
    const recorded = this.#byRequest.get(name)
    if (!recorded) return operation === 'prices.batch' ? this.#playBatch(call.parsed.addresses) : undefined
    const count = this.state.get(name) ?? 0
    this.state = new Map(this.state).set(name, count + 1)
    const { data, cursor, error } = recorded[Math.min(count, recorded.length - 1)] ?? {}
    if (error) throw new Rejection(error.status, error.code, error.message)
    return { data, cursor }
  }

  #playBatch(addresses: readonly string[]): QueryResult | undefined {
    const keys = addresses.map((address) => address.toLowerCase())
    if (keys.some((key) => !this.#prices.has(key))) return undefined
    const found = keys.flatMap((key) => (this.#prices.get(key) === null ? [] : [[key, this.#prices.get(key)]]))
    return { data: Object.fromEntries(found) }
  }
}

export function noRecording(call: AdmittedCall): Rejection {
  const params = JSON.stringify(givenParams(call.match, call.query))
  const message = `The tape has no answer of ${call.match.operation} for ${params}. Record it, or use onMissing: 'world'.`
  return new Rejection(501, 'no_recording', message)
}

export function readTape(value: unknown): Tape {
  const tape = value as Tape
  if (typeof value !== 'object' || value === null || tape.format !== 'etn-market-tape' || tape.version !== 1)
    throw new FakeUsageError('tape is an object that record() made, of version 1.')
  checkValue('tape.entries', is.listOf(ENTRY), tape.entries)
  const wrong = tape.entries.findIndex((entry) => 'data' in entry === 'error' in entry)
  if (wrong >= 0) throw new FakeUsageError(`tape.entries[${wrong}] has either data or an error.`)
  return tape
}

/** The last recorded price of each address; `null` for none. */
function recordedPrices(entries: readonly TapeEntry[]): Map<string, unknown> {
  const prices = new Map<string, unknown>()
  for (const { operation, params, data, error } of entries) {
    if (operation !== 'prices.batch' || error || !Array.isArray(params.addresses)) continue
    const found = new Map(Object.entries(data ?? {}).map(([address, price]) => [address.toLowerCase(), price]))
    for (const address of params.addresses) {
      const key = String(address).toLowerCase()
      prices.set(key, found.get(key) ?? null)
    }
  }
  return prices
}

/** A text that is equal for equal requests. */
function requestName(operation: FakeOperation, params: Record<string, unknown>): string {
  const given = Object.entries(params).filter(([name, value]) => name !== 'chainId' && value !== undefined)
  const normal = given.map(([name, value]) => [name, String(value).toLowerCase()])
  return `${operation} ${JSON.stringify(normal.sort())}`
}
