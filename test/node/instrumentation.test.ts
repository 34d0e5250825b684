import { expect, test } from 'vitest'
import { forEachTest } from './own.ts'
import { message, rawServer } from './raw-server.ts'
import { runBundled } from './run-bundled.ts'

const own = forEachTest()
const KEY = 'esk_test_7Fq9XcT2mWbR4sKd'

test('under the HTTP instrumentation of OpenTelemetry the key is in no header but authorization, and a request is a child of the active span', async () => {
  own.server = await rawServer((socket) => socket.write(message()))
  const printed = await runBundled("await import('./test/node/instrumented-client.ts')", [own.server.url, KEY])
  expect(JSON.parse(printed)).toEqual({
    usd: '0.5',
    spans: [
      { name: 'GET', isChild: true },
      { name: 'mine', isChild: false },
    ],
  })
  const [request] = own.server.requests
  const lines = request?.split('\r\n').slice(1) ?? []
  expect(lines.map((line) => line.split(': ')[0]?.toLowerCase()).sort()).toEqual([
    'accept',
    'accept-encoding',
    'authorization',
    'connection',
    'host',
    'traceparent',
    'user-agent',
    'x-own',
  ])
  expect(lines.filter((line) => line.includes(KEY))).toEqual([`authorization: Bearer ${KEY}`])
})
