/** Makes a call within a span, by the Node transport and under the HTTP instrumentation; prints the price and the spans. */
import { createRequire } from 'node:module'
import { trace } from '@opentelemetry/api'
import { registerInstrumentations } from '@opentelemetry/instrumentation'
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'

const [url, apiKey = ''] = process.argv.slice(-2)
const exporter = new InMemorySpanExporter()
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
provider.register()
registerInstrumentations({ tracerProvider: provider, instrumentations: [new HttpInstrumentation()] })
// The instrumentation patches the module when it is required.
createRequire(`${process.cwd()}/`)('node:http')

const { createClient } = await import('../../src/index.ts')
const { createNodeTransport } = await import('../../src/node/index.ts')
const transport = createNodeTransport()
const client = createClient({ transport, apiKey, baseUrl: `${url}/v1`, headers: { 'x-own': '1' } })
const usd = await trace.getTracer('test').startActiveSpan('mine', async (span) => {
  const price = await client.token.price({ address: '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1' })
  span.end()
  return price.usd
})
await client.close()
await transport.close()
const spans = exporter.getFinishedSpans()
const parent = spans.find(({ name }) => name === 'mine')?.spanContext().spanId
const report = spans.map(({ name, parentSpanContext }) => ({ name, isChild: parentSpanContext?.spanId === parent }))
process.stdout.write(JSON.stringify({ usd, spans: report }))
