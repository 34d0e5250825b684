import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { type Clock, createClient } from 'etn-market'
import { createNodeTransport } from 'etn-market/node'
import { describe, expect, test } from 'vitest'
import { createVirtualClock } from '../support/clock.ts'
import { TlsListener } from './silent-tls.ts'

const TIMEOUT_MS = 60

/** A call with one attempt, that ends after `TIMEOUT_MS` of a clock. */
async function call(baseUrl: string, clock?: Clock) {
  const transport = createNodeTransport()
  const client = createClient({
    apiKey: 'esk_live_key',
    baseUrl,
    transport,
    timeoutMs: TIMEOUT_MS,
    clock,
    retry: false,
    budget: { credits: 1_000 },
  })
  const error = await client.etn.price().catch((caught: unknown) => caught)
  const { uncertain, reserved } = client.budget
  await client.close()
  await transport.close()
  return { error, uncertain, reserved }
}

describe('an attempt that ends', () => {
  test('before its TLS handshake is complete has sent nothing', async () => {
    await using server = await TlsListener.silent()
    const { error, ...budget } = await call(`https://127.0.0.1:${server.port}`)
    expect(error).toMatchObject({ code: 'attempt_timeout', charge: 'none' })
    expect(budget).toEqual({ uncertain: 0, reserved: 0 })
  })

  test('because the server ends the handshake has sent nothing', async () => {
    await using server = await TlsListener.closing()
    const { error, uncertain } = await call(`https://127.0.0.1:${server.port}`, createVirtualClock())
    expect(error).toMatchObject({ code: 'connection_failed', charge: 'none' })
    expect(uncertain).toBe(0)
  })

  test('after it was written to a server that never answers may have been charged', async () => {
    // The time passes when the request has arrived, however long that takes.
    const clock = createVirtualClock()
    const sockets: Socket[] = []
    const server = createServer((socket) => {
      sockets.push(socket)
      socket.once('data', () => clock.advance(TIMEOUT_MS))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const { error, uncertain } = await call(`http://127.0.0.1:${port}`, clock)
    for (const socket of sockets) socket.destroy()
    server.close()
    expect(error).toMatchObject({ code: 'attempt_timeout', charge: 'unknown' })
    expect(uncertain).toBeGreaterThan(0)
  })
})
