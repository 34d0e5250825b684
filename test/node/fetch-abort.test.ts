import type { Socket } from 'node:net'
import { createClient } from 'etn-market'
import { expect, test } from 'vitest'
import { collectGarbage } from '../support/garbage.ts'
import { forEachTest } from './own.ts'
import { CHUNKED, chunk, head } from './play.ts'
import { COST, pause, rawServer } from './raw-server.ts'

const own = forEachTest()

/** Connections on which a body arrives. Others may be open: undici makes one for later. */
const dripping = new Set<Socket>()

/** Sends headers, and then a body that does not end. */
const drip = (socket: Socket) => {
  socket.write(head(COST + CHUNKED))
  const timer = setInterval(() => socket.write(chunk(' ')), 20)
  dripping.add(socket)
  socket.on('close', () => {
    clearInterval(timer)
    dripping.delete(socket)
  })
}

/** Waits until bodies arrive, and collects what is no longer held, such as a `Request`. */
async function receiveParts(bodies: number) {
  await expect.poll(() => dripping.size).toBe(bodies)
  await pause(150)
  collectGarbage()
  await pause(20)
  collectGarbage()
  expect(dripping.size).toBe(bodies)
}

const HOOKS = { beforeRequest: [() => {}], afterResponse: [() => {}] }

test.each([
  ['fetch', undefined],
  ['fetch with hooks', HOOKS],
])(
  '%s closes the connections of bodies that never end, though garbage was collected after their headers',
  async (_, hooks) => {
    own.server = await rawServer(drip)
    const client = createClient({ baseUrl: own.server.url, apiKey: 'esk_test_x', retry: false, hooks })
    const caller = new AbortController()
    const rejections = Array.from({ length: 10 }, (_, index) =>
      client.pool.list({ limit: index + 1 }, { signal: caller.signal }).catch((error) => error),
    )
    await receiveParts(10)
    const reason = new Error('enough')
    caller.abort(reason)
    expect(new Set(await Promise.all(rejections))).toEqual(new Set([reason]))
    await expect.poll(() => dripping.size).toBe(0)

    const closed = client.etn.price().catch((error) => error)
    await receiveParts(1)
    await client.close()
    expect(await closed).toMatchObject({ code: 'client_closed' })
    await expect.poll(() => dripping.size).toBe(0)
  },
)
