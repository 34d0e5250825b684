import { createClient } from 'etn-market'
import { settledHeap } from '../heap/settled-heap.mjs'
import { ADDRESS, addressOf, options, rateLimited, success, urlOf } from './service.mjs'

/** The two places where calls queue: for a heavy slot, or after a 429 for the key. */
const QUEUES = {
  slot: { isLimited: false, call: (client, params, options) => client.locks.get(params, options), cost: 2_000 },
  rateLimit: { isLimited: true, call: (client, params, options) => client.token.price(params, options), cost: 50 },
}
const RETRY_AFTER_MS = 30_000

/** Queues `count` calls at once and measures that, then ends them by `finish`. */
export async function queueCalls(name, count, finish) {
  const { isLimited, call, cost } = QUEUES[name]
  const service = createBlockedService()
  const requested = []
  const fetch = async (input) => {
    const [address] = urlOf(input).match(ADDRESS)
    requested.push(address)
    if (isLimited && requested.length === 1) return rateLimited(RETRY_AFTER_MS / 1_000)
    await service.unblocked
    return success(isLimited ? { address } : [], cost)
  }
  const client = createClient({ ...options, fetch, clock: service.clock })
  const controller = new AbortController()
  const start = (i) => call(client, { address: addressOf(i) }, { signal: controller.signal })
  const calls = [start(0)]
  // The 429 for the first call must arrive before the others start.
  await new Promise((resolve) => setTimeout(resolve, 50))
  const before = await settledHeap()
  const startedAt = performance.now()
  for (let i = 1; i < count; i++) calls.push(start(i))
  const queueMs = performance.now() - startedAt
  const bytes = ((await settledHeap()) - before) / count
  const end = await finish({ calls, service, controller })
  // The first call is not in the queue: it holds up the others.
  const inOrder = requested.filter((address) => Number(address) > 0).every((address, i) => Number(address) === i + 1)
  return { queueMs, bytes, inOrder, ...end }
}

/** A service that responds to nothing until `unblock()`, which also ends the `Retry-After`. */
function createBlockedService() {
  let skippedMs = 0
  let unblock = () => {}
  const unblocked = new Promise((resolve) => {
    unblock = () => {
      skippedMs = RETRY_AFTER_MS
      resolve()
    }
  })
  const sleep = (_ms, signal) =>
    new Promise((resolve, reject) => {
      unblocked.then(resolve)
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
  const clock = { now: () => Date.now() + skippedMs, random: Math.random, sleep }
  return { unblocked, unblock: () => unblock(), clock }
}

/** Ends all calls successfully. */
export async function completeAll({ calls, service }) {
  const startedAt = performance.now()
  service.unblock()
  await Promise.all(calls)
  return { ms: performance.now() - startedAt }
}

/** Aborts all calls by their common signal. */
export async function abortAll({ calls, controller }) {
  const startedAt = performance.now()
  controller.abort()
  const ends = await Promise.allSettled(calls)
  const ms = performance.now() - startedAt
  if (!ends.every(({ reason }) => reason === controller.signal.reason)) throw new Error('Some calls were not aborted.')
  return { ms }
}
