import { createServer } from 'node:http'
import { gzipSync } from 'node:zlib'
import { type ClientOptions, createClient, type Transport } from 'etn-market'
import { createNodeTransport } from 'etn-market/node'
import { describe, expect, onTestFinished, test } from 'vitest'

const KB = 1_000
/** Spaces are JSON, and compress to a thousandth. */
const bodyOf = (bytes: number) => `{"data":${' '.repeat(bytes)}null}`

async function serve(bytes: number, headers: Record<string, string>, isCompressed: boolean, status = 200) {
  let requests = 0
  const body = isCompressed ? gzipSync(bodyOf(bytes)) : Buffer.from(bodyOf(bytes))
  const server = createServer((_, response) => {
    requests++
    response.writeHead(status, {
      'content-type': 'application/json',
      ...headers,
      ...(isCompressed && { 'content-encoding': 'gzip' }),
    })
    response.end(body)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as { port: number }
  return { baseUrl: `http://127.0.0.1:${port}`, requests: () => requests }
}

async function ask(options: ClientOptions) {
  const client = createClient({ apiKey: 'esk_live_key', budget: { credits: 10_000 }, ...options })
  const error = await client.etn.price().catch((caught: unknown) => caught)
  const { spent, uncertain } = client.budget
  await client.close()
  return { error, spent, uncertain }
}

const transports: [string, () => ClientOptions][] = [
  ['fetch', () => ({})],
  [
    'node:http',
    () => {
      const transport = createNodeTransport()
      onTestFinished(() => transport.close())
      return { transport }
    },
  ],
  [
    'a custom transport',
    (): ClientOptions => {
      const transport: Transport = {
        async send({ url, headers, signal, beforeSend }) {
          beforeSend()
          const response = await fetch(url, { headers, signal })
          return { response: { status: response.status, headers: response.headers, text: await response.text() } }
        },
      }
      return { transport }
    },
  ],
]

describe.each(transports)('with %s, an answer of more than maxResponseBytes', (_, optionsOf) => {
  test.each([true, false])(
    'is not read to its end, not retried, and charged by its header (compressed: %s)',
    async (isCompressed) => {
      const { baseUrl, requests } = await serve(200 * KB, { 'x-credits-cost': '40' }, isCompressed)
      const { error, ...budget } = await ask({ baseUrl, maxResponseBytes: 100 * KB, ...optionsOf() })
      expect(error).toMatchObject({ name: 'ResponseError', code: 'response_too_large', status: 200 })
      expect(error).toMatchObject({ charge: 'charged', credits: 40, attempts: 1, retryable: false })
      expect(budget).toEqual({ spent: 40, uncertain: 0 })
      expect(requests()).toBe(1)
    },
  )

  test('without a header is charged the worst case', async () => {
    const { baseUrl } = await serve(200 * KB, {}, true)
    const { error, spent } = await ask({ baseUrl, maxResponseBytes: 100 * KB, ...optionsOf() })
    expect(error).toMatchObject({ code: 'response_too_large', charge: 'charged', credits: 25 })
    expect(spent).toBe(25)
  })

  test('may have been charged where it is an error, which is not read', async () => {
    const { baseUrl, requests } = await serve(200 * KB, {}, true, 500)
    const { error } = await ask({ baseUrl, maxResponseBytes: 100 * KB, ...optionsOf() })
    expect(error).toMatchObject({ code: 'response_too_large', status: 500, charge: 'unknown' })
    expect(requests()).toBe(1)
  })

  test('a smaller one is read', async () => {
    const { baseUrl } = await serve(90 * KB, { 'x-credits-cost': '25' }, true)
    const { error } = await ask({ baseUrl, maxResponseBytes: 100 * KB, validate: 'off', ...optionsOf() })
    expect(error).toBeNull()
  })
})

test('the default is 16 MiB: a few kilobytes that become more are refused', async () => {
  const { baseUrl, requests } = await serve(17 * 1_000 * KB, { 'x-credits-cost': '25' }, true)
  const transport = createNodeTransport()
  const { error } = await ask({ baseUrl, transport })
  await transport.close()
  expect(error).toMatchObject({ code: 'response_too_large', credits: 25 })
  expect(requests()).toBe(1)
})
