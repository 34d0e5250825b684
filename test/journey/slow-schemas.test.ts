import { createClient } from 'etn-market'
import { expect, test, vi } from 'vitest'
import { costs, ok } from '../support/answers.ts'
import { createVirtualClock } from '../support/clock.ts'
import { createScript } from '../support/script.ts'

// What explains an odd answer is loaded when the first one comes; here it never arrives, as on a page that lost its network.
vi.mock('../../src/generated/schemas.ts', () => new Promise(() => {}))

const address = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'

function start() {
  const clock = createVirtualClock()
  const script = createScript(() => ok({ odd: true }, costs(50)))
  const client = createClient({
    apiKey: 'esk_live_test',
    baseUrl: 'https://market.test/v1',
    fetch: script.fetch,
    clock,
  })
  return { clock, client }
}

test('an abort does not wait for what explains an odd answer', async () => {
  const { clock, client } = start()
  const caller = new AbortController()
  const ends: unknown[] = []
  client.token.price({ address }, { signal: caller.signal }).catch((error) => ends.push(error))
  await clock.advance(10)
  caller.abort('enough')
  await clock.advance(10)
  expect(ends).toEqual(['enough'])
})

test('nor does the deadline', async () => {
  const { clock, client } = start()
  const ends: unknown[] = []
  client.token.price({ address }, { deadlineMs: 1_000 }).catch((error) => ends.push(error))
  await clock.advance(1_000)
  expect(ends).toMatchObject([{ code: 'deadline_exceeded', charge: 'charged', credits: 50 }])
})

test('nor does close', async () => {
  const { clock, client } = start()
  const ends: unknown[] = []
  client.token.price({ address }).catch((error) => ends.push(error))
  await clock.advance(10)
  client.close().then(() => ends.push('closed'))
  await clock.advance(10)
  expect(ends).toMatchObject([{ code: 'client_closed' }, 'closed'])
})
