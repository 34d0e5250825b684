import { createClient } from 'etn-market'
import { settledHeap } from '../heap/settled.mjs'
import { ADDRESS, addressOf, options, refusal, reply } from './service.mjs'

/** Where calls wait: for a heavy slot, or while the key is refused. */
const QUEUES = {
  slot: { refused: false, call: (client, params, options) => client.locks.get(params, options), cost: 2_000 },
  refusal: { refused: true, call: (client, params, options) => client.token.price(params, options), cost: 50 },
}
const REFUSED_MS = 30_000

/** Queues `count` calls at once and tells what that takes, and what `dissolve` does to them. */
export async function queue(name, count, dissolve) {
  const { refused, call, cost } = QUEUES[name]
  const door = createDoor()
  const asked = []
  const fetch = async (url) => {
    const [address] = url.match(ADDRESS)
    asked.push(address)
    if (refused && asked.length === 1) return refusal(REFUSED_MS / 1_000)
    await door.opened
    return reply(refused ? { address } : [], cost)
  }
  const client = createClient({ ...options, fetch, clock: door.clock })
  const abort = new AbortController()
  const ask = (i) => call(client, { address: addressOf(i) }, { signal: abort.signal })
  const calls = [ask(0)]
  // The first has to be refused before the others come.
  await new Promise((resolve) => setTimeout(resolve, 50))
  const before = await settledHeap()
  const startedAt = performance.now()
  for (let i = 1; i < count; i++) calls.push(ask(i))
  const queueMs = performance.now() - startedAt
  const bytes = ((await settledHeap()) - before) / count
  const end = await dissolve({ calls, door, abort })
  // The first did not queue: it is what the others wait for.
  const inOrder = asked.filter((address) => Number(address) > 0).every((address, i) => Number(address) === i + 1)
  return { queueMs, bytes, inOrder, ...end }
}

/** Nothing gets through before it is opened; then the time of the refusal is over as well. */
function createDoor() {
  let skippedMs = 0
  let open = () => {}
  const opened = new Promise((resolve) => {
    open = () => {
      skippedMs = REFUSED_MS
      resolve()
    }
  })
  const sleep = (_ms, signal) =>
    new Promise((resolve, reject) => {
      opened.then(resolve)
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
  return { opened, open: () => open(), clock: { now: () => Date.now() + skippedMs, random: Math.random, sleep } }
}

/** Lets all of them through. */
export async function drain({ calls, door }) {
  const startedAt = performance.now()
  door.open()
  await Promise.all(calls)
  return { ms: performance.now() - startedAt }
}

/** Aborts all of them by their one signal. */
export async function abortAll({ calls, abort }) {
  const startedAt = performance.now()
  abort.abort()
  const ends = await Promise.allSettled(calls)
  const ms = performance.now() - startedAt
  if (!ends.every(({ reason }) => reason === abort.signal.reason)) throw new Error('Not all were aborted.')
  return { ms }
}
