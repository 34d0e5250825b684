/** Uses and closes fakes of every kind, and reports the resources still open. The process must then exit by itself. */

import { createClient } from 'etn-market'
import { createFakeService } from 'etn-market/fake'
import { mswHandlers } from 'etn-market/msw'
import { setupServer } from 'msw/node'

const address = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'

async function use(fake, options) {
  const client = createClient({ apiKey: fake.key, retry: false, ...options })
  const failed = (call) =>
    call.then(
      () => Promise.reject(new Error('The call should have failed.')),
      () => {},
    )
  await client.token.price({ address })
  fake.fault({ reset: 'after' })
  await failed(client.token.price({ address }))
  fake.fault({ never: true })
  await failed(client.token.list({}, { timeoutMs: 20 }))
  fake.fault({ stall: 5 })
  await failed(client.locks.get({ address }, { signal: AbortSignal.timeout(20) }))
  fake.fault({ delayMs: 60_000 })
  const waiting = failed(client.farm.list())
  await client.close()
  await waiting
}

for (let i = 0; i < 20; i++) {
  const inMemory = createFakeService()
  await use(inMemory, { fetch: inMemory.fetch })
  await inMemory.close()

  const intercepted = createFakeService()
  const server = setupServer(...mswHandlers(intercepted))
  server.listen({ onUnhandledRequest: 'error' })
  await use(intercepted, {})
  server.close()
  await intercepted.close()

  const listening = createFakeService()
  await use(listening, { baseUrl: (await listening.listen()).url })
  await listening.close()
}
// Closed resources disappear within a few turns of the event loop.
for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
process.send(process.getActiveResourcesInfo())
process.disconnect()
