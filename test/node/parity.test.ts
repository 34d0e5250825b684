import { createNodeFetch } from 'etn-market/node'
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

/** Node's own fetch and ours before the same service. */
async function both(play: Play) {
  const ours = createNodeFetch()
  const [there, here] = [await rawServer(play), await rawServer(play)]
  try {
    const [expected, outcome] = await Promise.all([
      outcomeOf(globalThis.fetch, `${there.url}/v1`),
      outcomeOf(ours, `${here.url}/v1`),
    ])
    return { expected, outcome, sent: [there.requests.length, here.requests.length] }
  } finally {
    await ours.close()
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
    const { expected, outcome, sent } = await both(play)
    expect(outcome).toEqual(expected)
    expect(outcome.end).toBe(end)
    expect(sent[1]).toBe(sent[0])
  })
})

test.each(DIFFERENT)('not as Node: %s', async (_name, end, play, fetchEnd) => {
  const { expected, outcome } = await both(play)
  expect(outcome.end).toBe(end)
  // Which of the two depends on the version of Node.
  expect([end, fetchEnd]).toContain(expected.end)
})
