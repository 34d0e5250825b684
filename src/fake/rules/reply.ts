import type { Answer } from './execute.ts'

/** An error of the service, thrown by the check that finds it: never charged, and without credit headers. */
export class Rejection extends Error {
  readonly reply: Reply

  constructor(status: number, code: string, message: string, headers: HeaderLines = []) {
    super(message)
    this.reply = failure(status, code, message, headers)
  }
}

export function invalidRequest(message: string): Rejection {
  return new Rejection(400, 'invalid_request', message)
}

export function notFound(message: string): Rejection {
  return new Rejection(404, 'not_found', message)
}

/** Whether pages may read answers (`true`), answers without the credit headers (`'hidden'`), or nothing. */
export type CorsMode = boolean | 'hidden'

/** Header lines in order; a name may occur twice. */
export type HeaderLines = [name: string, value: string][]

export interface Reply {
  status: number
  headers: HeaderLines
  body: string | null
  /** Code of the error, for the journal. */
  code?: string
}

export const CREDITS_COST = 'X-Credits-Cost'
export const CREDITS_REMAINING = 'X-Credits-Remaining'
/** Of a 429 and of a 503 `server_busy`. */
export const RETRY_AFTER: HeaderLines[number] = ['Retry-After', '1']
const JSON_TYPE = 'application/json; charset=utf-8'

export function success({ data, text = JSON.stringify(data), cursor, receipt }: Answer): Reply {
  const headers: HeaderLines = [['Content-Type', JSON_TYPE]]
  if (receipt) headers.push([CREDITS_COST, String(receipt.cost)], [CREDITS_REMAINING, String(receipt.remaining)])
  return { status: 200, headers, body: `{"data":${text},"cursor":${JSON.stringify(cursor)}}` }
}

export function failure(status: number, code: string, message: string, headers: HeaderLines = []): Reply {
  const body = JSON.stringify({ error: { code, message } })
  return { status, code, headers: [['Content-Type', JSON_TYPE], ...headers], body }
}

export function withCommonHeaders(reply: Reply, now: number, cors: CorsMode): Reply {
  const headers: HeaderLines = [['Date', httpDate(now)]]
  const readable = cors === 'hidden' ? 'Date, Retry-After' : `Date, Retry-After, ${CREDITS_COST}, ${CREDITS_REMAINING}`
  if (cors) headers.push(['Access-Control-Allow-Origin', '*'], ['Access-Control-Expose-Headers', readable])
  return { ...reply, headers: [...headers, ...reply.headers] }
}

export function preflight(cors: CorsMode, now: number, requestedHeaders: string | null): Reply {
  const headers: HeaderLines = [
    ['Access-Control-Allow-Methods', 'GET'],
    ['Access-Control-Allow-Headers', requestedHeaders ?? 'authorization'],
    ['Access-Control-Max-Age', '600'],
  ]
  return withCommonHeaders({ status: 204, headers, body: null }, now, cors)
}

export function httpDate(ms: number): string {
  return new Date(ms).toUTCString()
}

export function replaceHeader(headers: HeaderLines, name: string, values: readonly string[]): HeaderLines {
  const rest = headers.filter(([other]) => other.toLowerCase() !== name.toLowerCase())
  return [...rest, ...values.map((value): [string, string] => [name, value])]
}
