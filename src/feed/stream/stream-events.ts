import { BatchPrice as isBatchPrice } from '../../generated/guards.ts'
import type { TokenPrice } from '../../generated/types.ts'
import { isArray, isNumber, isObject, isString } from '../../operations/type-guards.ts'
import { parseJson } from '../../utils/json-data.ts'
import type { FeedClock } from '../feed-clock.ts'
import type { KnownPrice } from '../prices/tracked-price.ts'
import type { RefusedAddress, StreamState } from './stream-state.ts'

/** One event of a stream, as the HTML standard defines `text/event-stream`. */
export interface ServerSentEvent {
  readonly type: string
  readonly data: string
}

/** Longer than an event with 50 prices; what has no end is not collected, in one line or in many. */
const MAX_LENGTH = 1_000_000

/** Reads events from the text of a stream, in any parts; those without data are left out. @throws RangeError for one that is too long */
export function createEventParser(): (text: string) => ServerSentEvent[] {
  /** Its line ends are line feeds, but for a last carriage return: its line feed may still follow. */
  let rest = ''

  function readEvent(block: string): ServerSentEvent[] {
    let type = ''
    const data: string[] = []
    for (const line of block.split('\n')) {
      const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
      if (name === 'data') data.push(value)
      else if (name === 'event') type = value
    }
    return data.length === 0 ? [] : [{ type: type || 'message', data: data.join('\n') }]
  }

  return (text) => {
    rest += text
    if (rest.length > MAX_LENGTH) throw new RangeError(`The stream has sent an event of over ${MAX_LENGTH} characters.`)
    const end = rest.endsWith('\r') ? rest.length - 1 : rest.length
    const blocks = rest.slice(0, end).replace(/\r\n?/g, '\n').split('\n\n')
    rest = blocks.pop() + rest.slice(end)
    return blocks.flatMap(readEvent)
  }
}

export interface StreamedPrice extends KnownPrice {
  readonly address: string
  /** The moment of the purchase as the proxy names it: two events with one are one price. */
  readonly stamp: unknown
}

/** Reads the data of `event: price`. The age counts from now, so that the clocks of page and server may differ. */
export function readPrice(data: string, clock: FeedClock): StreamedPrice | undefined {
  const { address, ageMs, at, stale, ...fields } = fieldsOf(data)
  if (!isString(address) || !isNumber(ageMs) || ageMs < 0 || !isBatchPrice(fields)) return undefined
  const isKnown = fields.usd != null || fields.etn != null
  const requestedAt = clock.now() - ageMs
  return {
    address,
    stamp: at,
    at: requestedAt,
    requestedAt: clock.toUnix(requestedAt),
    price: isKnown ? ({ address, ...fields } as TokenPrice) : null,
  }
}

/** Reads the data of `event: settings`, with which a stream begins, of `event: status` and of `event: end`; without `state` where it is none. */
export function readReport(data: string) {
  const { state, everyMs, heartbeatMs, status, code, waitMs } = fieldsOf(data)
  return {
    state: /^(connected|stale|out_of_credits|refused)$/.test(String(state)) ? (state as StreamState) : undefined,
    everyMs: lengthOf(everyMs),
    heartbeatMs: lengthOf(heartbeatMs),
    status: lengthOf(status),
    code: textOf(code),
    waitMs: lengthOf(waitMs),
  }
}

export function readRefused(data: string): readonly RefusedAddress[] {
  const list = parseJson(data)
  return isArray(list) ? list.filter((each): each is RefusedAddress => isObject(each) && !!textOf(each.address)) : []
}

export function codeOfBody(text: string): string | undefined {
  const { error } = fieldsOf(text)
  return isObject(error) ? textOf(error.code) : undefined
}

/** The fields of an object; of anything else none. */
function fieldsOf(data: string): Record<string, unknown> {
  const fields = parseJson(data)
  return isObject(fields) ? fields : {}
}

const textOf = (value: unknown) => (isString(value) ? value : undefined)
const lengthOf = (value: unknown) => (isNumber(value) && value > 0 ? value : undefined)
