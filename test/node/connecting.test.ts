import { createClient } from 'etn-market'
import { createNodeTransport } from 'etn-market/node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createVirtualClock } from '../support/clock.ts'
import { rawServer } from './raw-server.ts'

const TIMEOUT_MS = 60

/** A call with one attempt to a server that never answers, whose time limit ends when the test lets it. */
async function call(protocol: 'http' | 'https') {
  const server = await rawServer(() => {})
  onTestFinished(() => server.close())
  const clock = createVirtualClock()
  await using transport = createNodeTransport()
  const options = { apiKey: 'esk_live_key', clock, timeoutMs: TIMEOUT_MS, retry: false as const }
  const baseUrl = server.url.replace('http', protocol)
  await using client = createClient({ ...options, baseUrl, transport, budget: { credits: 1_000 } })
  const outcome = client.etn.price().catch((caught: unknown) => caught)
  await expect.poll(() => server.connections).toBe(1)
  if (protocol === 'http') await expect.poll(() => server.requests.length).toBe(1)
  await clock.advance(TIMEOUT_MS)
  const error = await outcome
  const { uncertain, reserved } = client.budget
  return { error, uncertain, reserved }
}

describe('an attempt that ends', () => {
  test('before its TLS handshake is complete has sent nothing', async () => {
    const { error, ...budget } = await call('https')
    expect(error).toMatchObject({ code: 'attempt_timeout', charge: 'none' })
    expect(budget).toEqual({ uncertain: 0, reserved: 0 })
  })

  test('after it was written to a server that never answers may have been charged', async () => {
    const { error, uncertain } = await call('http')
    expect(error).toMatchObject({ code: 'attempt_timeout', charge: 'unknown' })
    expect(uncertain).toBeGreaterThan(0)
  })
})
