import { context, trace } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import { createTelemetry } from 'etn-market/otel'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { costs, networkError, ok, price, refusal } from '../support/answers.ts'
import { address, addresses, KEY, setup, watch } from '../support/setup.ts'

const TOKEN = address(1)
let spans: InMemorySpanExporter
let provider: NodeTracerProvider

beforeEach(() => {
  spans = new InMemorySpanExporter()
  provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] })
  provider.register()
})
afterEach(async () => {
  await provider.shutdown()
  trace.disable()
  context.disable()
})

const tracer = () => provider.getTracer('test')
const listener = () => createTelemetry({ tracer: tracer() }).onEvent

describe('a call', () => {
  test('is a span below the span that is active where it is made', async () => {
    const { client } = setup(() => ok(price(TOKEN), costs(50)), { onEvent: listener() })
    await tracer().startActiveSpan('check prices', async (parent) => {
      await client.token.price({ address: TOKEN })
      parent.end()
    })
    const [call, parent] = spans.getFinishedSpans()
    expect(call?.name).toBe('token.price')
    expect(call?.parentSpanContext?.spanId).toBe(parent?.spanContext().spanId)
    expect(call?.attributes).toMatchObject({
      'etn_market.operation': 'token.price',
      'etn_market.credits.estimated': 50,
      'etn_market.credits.charged': 50,
      'etn_market.charge': 'charged',
      'http.request.resend_count': 0,
    })
  })

  test('of several requests counts those that were repeated', async () => {
    const { client, clock } = setup(({ number }) => (number === 2 ? refusal(500, 'internal') : ok({}, costs(600))), {
      onEvent: listener(),
    })
    watch(client.prices.batch({ addresses: addresses(150) }))
    await clock.advance(10_000)
    expect(spans.getFinishedSpans()[0]?.attributes).toMatchObject({ 'http.request.resend_count': 1 })
  })

  test('that fails has the error type, its retries as events, and no key', async () => {
    const answers = [() => networkError('ECONNRESET'), () => refusal(404, 'not_found', {}, KEY)]
    const { client, clock } = setup(({ number }) => answers[number - 1]?.(), { onEvent: listener() })
    watch(client.token.price({ address: TOKEN }))
    await clock.advance(10_000)
    const [call] = spans.getFinishedSpans()
    expect(call?.status.code).toBe(2)
    expect(call?.attributes).toMatchObject({ 'error.type': 'NotFoundError', 'http.request.resend_count': 1 })
    expect(call?.events.map(({ name }) => name)).toEqual([
      'credits.uncertain',
      'request.failed',
      'retry.scheduled',
      'request.failed',
    ])
    expect(JSON.stringify([call?.attributes, call?.events])).not.toContain(KEY)
  })

  test('that is aborted, or made on a closed client, leaves no open span', async () => {
    const { client, clock } = setup(undefined, { onEvent: listener() })
    const caller = new AbortController()
    watch(client.token.price({ address: TOKEN }, { signal: caller.signal }))
    watch(client.etn.price())
    await clock.advance(0)
    caller.abort()
    await client.close()
    watch(client.etn.price())
    await clock.advance(0)
    expect(spans.getFinishedSpans().map(({ name, status }) => [name, status.code])).toEqual([
      ['token.price', 2],
      ['etn.price', 2],
    ])
  })

  test('that shares a request has a span of its own without its credits', async () => {
    const { client } = setup(() => ok(price(TOKEN), costs(50)), { onEvent: listener() })
    await Promise.all([client.token.price({ address: TOKEN }), client.token.price({ address: TOKEN })])
    const charged = spans.getFinishedSpans().map(({ attributes }) => attributes['etn_market.credits.charged'])
    expect(charged.toSorted()).toEqual([0, 50])
  })
})

test('the counter adds up credits by operation and state', async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 1e6 })
  const meters = new MeterProvider({ readers: [reader] })
  const answers = [() => networkError('ECONNRESET'), () => ok(price(TOKEN), costs(50)), () => ok({ usd: '1' })]
  const { client, clock } = setup(({ number }) => answers[number - 1]?.(), {
    onEvent: createTelemetry({ meter: meters.getMeter('test') }).onEvent,
  })
  watch(client.token.price({ address: TOKEN }))
  await clock.advance(10_000)
  await client.etn.price()
  await reader.forceFlush()
  const points = exporter.getMetrics()[0]?.scopeMetrics[0]?.metrics[0]?.dataPoints
  expect(points?.map(({ attributes, value }) => [...Object.values(attributes), value])).toEqual([
    ['token.price', 'uncertain', 50],
    ['token.price', 'charged', 50],
    ['etn.price', 'computed', 25],
  ])
  await meters.shutdown()
})
