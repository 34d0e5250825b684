import { createNodeTransport } from 'etn-market/node'
import { beforeAll, describe, expect, test } from 'vitest'
import { CODING } from './codings.ts'
import { BODY, CONNECTION, DIFFERENT, HEADERS, STATUS } from './misbehaviour.ts'
import { outcomeOf } from './outcome.ts'
import type { Misbehaviour } from './play.ts'
import { type Play, rawServer } from './raw-server.ts'

// Node's own takes its time when it is first used.
beforeAll(async () => {
  await fetch('http://127.0.0.1:1/').catch(() => {})
})

/** The default transport, which uses Node's fetch, and the Node transport before the same service. */
async function both(end: string, play: Play) {
  const transport = createNodeTransport()
  const isSilent = end.startsWith('TimeoutError')
  const [there, here] = [await rawServer(play), await rawServer(play)]
  try {
    const [expected, outcome] = await Promise.all([
      outcomeOf(`${there.url}/v1`, { isSilent }),
      outcomeOf(`${here.url}/v1`, { transport, isSilent }),
    ])
    return { expected, outcome, sent: [there.requests.length, here.requests.length] }
  } finally {
    await transport.close()
    there.close()
    here.close()
  }
}

const suites: Record<string, readonly Misbehaviour[]> = {
  'of connections': CONNECTION,
  'of bodies': BODY,
  'of statuses': STATUS,
  'of headers': HEADERS,
  'of content codings': CODING,
}

describe.each(Object.entries(suites))('%s', (_, misbehaviours) => {
  test.concurrent.each(misbehaviours)('%s', async (_name, end, play) => {
    const { expected, outcome, sent } = await both(end, play)
    expect(outcome).toEqual(expected)
    expect(outcome.end).toBe(end)
    expect(sent[1]).toBe(sent[0])
  })
})

test.each(DIFFERENT)('unlike fetch: %s', async (_name, end, play, fetchEnd) => {
  const { expected, outcome } = await both(end, play)
  expect(outcome.end).toBe(end)
  // Which of the two depends on the version of Node.
  expect([end, fetchEnd]).toContain(expected.end)
})
