import { ResponseError } from '../errors/response.ts'
import { isArray, isObject } from '../operations/type-guards.ts'
import type { HttpResponse } from '../transport/transport.ts'
import { bodyOfError } from './body-of-error.ts'
import type { Envelope, PlannedRequest } from './types.ts'

/** JSON, or undefined where the text is none. */
export function parseJson(text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * The envelope of a success.
 * @throws ResponseError when the body has no data: it was paid for all the same
 */
export function parseResponse(request: PlannedRequest, response: HttpResponse, body: unknown): Envelope {
  const envelope = toEnvelope(request, body)
  if (envelope !== undefined) return envelope
  const problem = body === undefined ? 'is not JSON' : 'has no "data"'
  throw new ResponseError(
    `${request.operation}: the service answered ${response.status}, but the body ${problem}. The call was paid for and is not retried; the body is in error.body.`,
    {
      operation: request.operation,
      code: body === undefined ? 'not_json' : 'no_data',
      status: response.status,
      body: bodyOfError(body, response.text),
    },
  )
}

/** Another copy of the envelope of an answer. */
export function copyEnvelope(request: PlannedRequest, text: string): Envelope | undefined {
  return toEnvelope(request, parseJson(text))
}

function toEnvelope({ operation, bareField }: PlannedRequest, body: unknown): Envelope | undefined {
  if (!isObject(body)) return undefined
  const isBare = bareField !== undefined && Object.hasOwn(body, bareField)
  const envelope = Object.hasOwn(body, 'data') ? (body as unknown as Envelope) : isBare ? { data: body } : undefined
  // The service does not promise an order of candles; the client does.
  if (operation === 'token.candles' && isArray(envelope?.data)) sortByTime(envelope.data as unknown[])
  return envelope
}

function sortByTime(candles: unknown[]): void {
  const timeOf = (candle: unknown) => (isObject(candle) && typeof candle.time === 'number' ? candle.time : 0)
  for (let i = 1; i < candles.length; i++) {
    if (timeOf(candles[i - 1]) <= timeOf(candles[i])) continue
    candles.sort((one, other) => timeOf(one) - timeOf(other))
    return
  }
}
