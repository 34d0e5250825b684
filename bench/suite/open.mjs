/** Uses a fake in every way and closes it, again and again; tells what is open afterwards. Then it has to end by itself. */
import { setupServer } from 'msw/node'
import { createFakeService } from './node_modules/etn-market/dist/fake.js'
import { createClient } from './node_modules/etn-market/dist/index.js'
import { mswHandlers } from './node_modules/etn-market/dist/msw.js'

const address = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'

async function use(fake, options) {
  const client = createClient({ apiKey: fake.key, retry: false, ...options })
  const lost = (call) =>
    call.then(
      () => Promise.reject(new Error('It was meant to fail.')),
      () => {},
    )
  await client.token.price({ address })
  fake.fault({ reset: 'after' })
  await lost(client.token.price({ address }))
  fake.fault({ never: true })
  await lost(client.token.list({}, { timeoutMs: 20 }))
  fake.fault({ stall: 5 })
  await lost(client.locks.get({ address }, { signal: AbortSignal.timeout(20) }))
  fake.fault({ delayMs: 60_000 })
  const waiting = lost(client.farm.list())
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
// What was closed is gone within a few turns of the event loop.
for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
process.send(process.getActiveResourcesInfo())
process.disconnect()
