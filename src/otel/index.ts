/**
 * Spans and metrics for OpenTelemetry.
 *
 * @module etn-market/otel
 */

import type { Attributes, Meter, Span, Tracer } from '@opentelemetry/api'
import type { CallEndedEvent, ClientEvent } from '../client/events.ts'
import { requireKnown } from '../utils/known-options.ts'

/** Options of `createTelemetry`. */
export interface TelemetryOptions {
  /** Makes a span for each call. @default no spans */
  tracer?: Tracer | undefined
  /** Makes the counter of credits. @default no counter */
  meter?: Meter | undefined
}

/** Turns the events of a client into OpenTelemetry spans and metrics. */
export interface Telemetry {
  /** The listener for `createClient({ onEvent })`. One telemetry serves one client. */
  onEvent(event: ClientEvent): void
}

/** OpenTelemetry's number for an error, so that nothing of `@opentelemetry/api` is loaded here. */
const STATUS_ERROR = 2
/** OpenTelemetry's number for a span inside a program; the HTTP instrumentation makes those of the requests. */
const SPAN_KIND_INTERNAL = 0

/**
 * Spans and metrics of a client, by the tracer and the meter that you pass in; `@opentelemetry/api` is an optional peer dependency.
 *
 * A call is one span with the name of its operation. It is a child of the span that is active where the call is made, and has the
 * attributes `etn_market.operation`, `etn_market.call_id`, `etn_market.credits.estimated`, `etn_market.credits.charged`,
 * `etn_market.charge`, `etn_market.shared`, `etn_market.cached`, `http.request.resend_count` and, when it failed, `error.type`. Retries,
 * cool-downs and lost answers are events of the span. HTTP spans are those of the instrumentation of undici or `node:http`.
 *
 * The counter `etn_market.credits` adds up credits by `etn_market.operation` and `etn_market.credits.state`: `charged`, `computed`
 * (charged, but no header stated it) or `uncertain` (an answer was lost that may have been charged).
 * @example
 * import { metrics, trace } from '@opentelemetry/api'
 * const telemetry = createTelemetry({ tracer: trace.getTracer('bot'), meter: metrics.getMeter('bot') })
 * const client = createClient({ onEvent: telemetry.onEvent })
 * @throws TypeError for an unknown option
 */
export function createTelemetry(options: TelemetryOptions): Telemetry {
  requireKnown('telemetry option', options, ['tracer', 'meter'])
  const { tracer, meter } = options
  /** By call, with the requests that it repeated. */
  const spans = new Map<string, { readonly span: Span; resent: number }>()
  const credits = meter?.createCounter('etn_market.credits', {
    unit: '{credit}',
    description: 'Credits by operation and state',
  })

  return {
    onEvent(event) {
      if (!('callId' in event)) return
      if (event.type === 'call.started') {
        const attributes = {
          'etn_market.operation': event.operation,
          'etn_market.call_id': event.callId,
          'etn_market.credits.estimated': event.estimated,
        }
        const span = tracer?.startSpan(event.operation, { kind: SPAN_KIND_INTERNAL, attributes })
        if (span !== undefined) spans.set(event.callId, { span, resent: 0 })
        return
      }
      if (event.type === 'credits.charged' || event.type === 'credits.computed' || event.type === 'credits.uncertain')
        credits?.add(event.credits, {
          'etn_market.operation': event.operation,
          'etn_market.credits.state': event.type.replace('credits.', ''),
        })
      const call = spans.get(event.callId)
      if (call === undefined) return
      if (event.type === 'request.sent' && event.attempt > 1) call.resent++
      if (event.type === 'call.succeeded' || event.type === 'call.failed') {
        spans.delete(event.callId)
        endSpan(call.span, call.resent, event)
      } else if (NOTABLE.includes(event.type)) call.span.addEvent(event.type, eventAttributes(event))
    },
  }
}

/** The events that a span has. */
const NOTABLE: readonly ClientEvent['type'][] = [
  'retry.scheduled',
  'cooldown.started',
  'request.failed',
  'credits.uncertain',
  'credits.unclaimed',
  'credits.drift',
  'cache.failed',
]

function endSpan(
  span: Span,
  resent: number,
  { type, credits, charge, shared, cached, code, errorName }: CallEndedEvent,
): void {
  span.setAttributes({
    'etn_market.credits.charged': credits,
    'etn_market.charge': charge,
    'etn_market.shared': shared,
    'etn_market.cached': cached,
    'http.request.resend_count': resent,
  })
  if (type === 'call.failed') {
    span.setAttributes({ 'error.type': errorName ?? 'Error', 'etn_market.error.code': code ?? '' })
    span.setStatus({ code: STATUS_ERROR })
  }
  span.end()
}

/** The plain fields of an event; parameters are left out. */
function eventAttributes(event: ClientEvent): Attributes {
  const attributes: Attributes = {}
  for (const [name, value] of Object.entries(event)) {
    const isPlain = ['string', 'number', 'boolean'].includes(typeof value)
    if (isPlain && !['type', 'callId', 'operation'].includes(name)) attributes[`etn_market.${name}`] = value
  }
  return attributes
}
