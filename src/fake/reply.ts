import type { Settings } from './options.ts'
import type { Refusal } from './refusal.ts'

/** Header lines in order; a name may come twice. */
export type HeaderLines = [name: string, value: string][]

/** What the service says, before anything goes wrong on the way. */
export interface Reply {
  status: number
  headers: HeaderLines
  body: string | null
  /** Code of the error that it is, for the journal. */
  code?: string
}

export const CREDITS_COST = 'X-Credits-Cost'
export const CREDITS_REMAINING = 'X-Credits-Remaining'
const JSON_TYPE = 'application/json; charset=utf-8'

/** What was charged, for the headers of a metered success. */
export interface Receipt {
  cost: number
  remaining: number
}

/** A success in its envelope, with credit headers when it was metered. */
export function success(data: unknown, cursor: string | null, receipt: Receipt | undefined): Reply {
  const headers: HeaderLines = [['Content-Type', JSON_TYPE]]
  if (receipt) headers.push([CREDITS_COST, String(receipt.cost)], [CREDITS_REMAINING, String(receipt.remaining)])
  return { status: 200, headers, body: JSON.stringify({ data, cursor }) }
}

/** An error in its envelope. */
export function failure({ status, code, message, headers = [] }: Refusal): Reply {
  return {
    status,
    code,
    headers: [['Content-Type', JSON_TYPE], ...headers],
    body: JSON.stringify({ error: { code, message } }),
  }
}

/** Adds what every answer carries: its date, and who may read it. */
export function sealed(reply: Reply, now: number, cors: Settings['cors']): Reply {
  return { ...reply, headers: [['Date', httpDate(now)], ...corsHeaders(cors), ...reply.headers] }
}

/** The answer to a browser's question whether it may ask. */
export function preflight(cors: Settings['cors'], now: number, asked: string | null): Reply {
  const headers: HeaderLines = [
    ['Access-Control-Allow-Methods', 'GET'],
    ['Access-Control-Allow-Headers', asked ?? 'authorization'],
    ['Access-Control-Max-Age', '600'],
  ]
  return sealed({ status: 204, headers, body: null }, now, cors)
}

function corsHeaders(cors: Settings['cors']): HeaderLines {
  if (cors === false) return []
  const readable = cors === 'hidden' ? 'Date, Retry-After' : `Date, Retry-After, ${CREDITS_COST}, ${CREDITS_REMAINING}`
  return [
    ['Access-Control-Allow-Origin', '*'],
    ['Access-Control-Expose-Headers', readable],
  ]
}

/** An HTTP-date (IMF-fixdate). */
export function httpDate(ms: number): string {
  return new Date(ms).toUTCString()
}

/** Puts header lines in place of those of the same name. */
export function replaceHeader(headers: HeaderLines, name: string, values: readonly string[]): HeaderLines {
  const others = headers.filter(([other]) => other.toLowerCase() !== name.toLowerCase())
  return [...others, ...values.map((value): [string, string] => [name, value])]
}
