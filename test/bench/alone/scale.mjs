/** Reports how one client behaves with very many calls at once. Each size comes after a warm-up. */
import { createBudget, createClient } from 'etn-market'

const [WARM_UP, ...SIZES] = [1_000, 10_000, 100_000]
const RESERVATIONS = 2_000_000
const RETRY_AFTER_MS = 30_000
const ADDRESS = /0x[0-9a-f]{40}/gi
const PRICE = { usd: '0.0431328059369531392178303', etn: '17.2531223747812556871321' }

/** Options of every client here: no network, and no call ends by a timer. */
const options = {
  apiKey: 'esk_test_bench',
  baseUrl: 'http://service.test/v1',
  budget: { credits: Number.MAX_SAFE_INTEGER },
  deadlineMs: Number.POSITIVE_INFINITY,
  timeoutMs: Number.POSITIVE_INFINITY,
  retry: { maxRetryAfterMs: Number.POSITIVE_INFINITY },
}
const addressOf = (i) => `0x${i.toString(16).padStart(40, '0')}`
/** The URL that a `fetch` is called with, as text or as a `Request`. */
const urlOf = (input) => (typeof input === 'string' ? input : input.url)
const respond = (body, init) => new Response(JSON.stringify(body), init)
const success = (data, cost) => respond({ data, cursor: null }, { headers: { 'x-credits-cost': String(cost) } })

/** Reservations made and settled per second. */
function budgetPerSecond() {
  const budget = createBudget({ credits: Number.MAX_SAFE_INTEGER, windowMs: 86_400_000 })
  const spend = (times) => {
    const before = budget.spent
    for (let i = 0; i < times; i++) budget.reserve(50).settle(50)
    if (budget.spent - before !== 50 * times) throw new Error('The budget has the wrong sum.')
  }
  spend(RESERVATIONS / 10)
  const startedAt = performance.now()
  spend(RESERVATIONS)
  return RESERVATIONS / ((performance.now() - startedAt) / 1_000)
}

/** Microseconds for each address of one batch. */
async function batchPerAddress(count) {
  const fetch = async (input) => {
    const requested = urlOf(input).match(ADDRESS)
    const prices = requested.map((address) => [address.toLowerCase(), PRICE])
    return success(Object.fromEntries(prices), 100 + 10 * requested.length)
  }
  const client = createClient({ ...options, fetch })
  const addresses = Array.from({ length: count }, (_, i) => addressOf(i))
  const startedAt = performance.now()
  const prices = await client.prices.batch({ addresses })
  const us = ((performance.now() - startedAt) * 1_000) / count
  if (addresses.some((address) => prices[address]?.usd !== PRICE.usd)) throw new Error('A price is missing.')
  return us
}

/** The two places where calls queue: for a heavy slot, or after a 429 for the key. */
const QUEUES = {
  slot: { isLimited: false, call: (client, params, options) => client.locks.get(params, options), cost: 2_000 },
  rateLimit: { isLimited: true, call: (client, params, options) => client.token.price(params, options), cost: 50 },
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

/** Heap in use after garbage collection. An object with a finalizer is freed only in a later turn, hence the loop. */
async function settledHeap() {
  for (let turn = 0; turn < 3; turn++) {
    globalThis.gc()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return process.memoryUsage().heapUsed
}

/** Queues `count` calls at once, then ends them by `finish`: how long both took, what a waiting call holds, and whether the order was kept. */
async function queueCalls(name, count, finish) {
  const { isLimited, call, cost } = QUEUES[name]
  const service = createBlockedService()
  const requested = []
  const fetch = async (input) => {
    const [address] = urlOf(input).match(ADDRESS)
    requested.push(address)
    if (isLimited && requested.length === 1) {
      const error = { code: 'rate_limited', message: 'Slow down' }
      return respond({ error }, { status: 429, headers: { 'retry-after': String(RETRY_AFTER_MS / 1_000) } })
    }
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
  const queuedAt = performance.now()
  await finish({ calls, service, controller })
  const endMs = performance.now() - queuedAt
  // The first call is not in the queue: it holds up the others.
  const inOrder = requested.filter((address) => Number(address) > 0).every((address, i) => Number(address) === i + 1)
  return { queueMs, bytes, endMs, inOrder }
}

async function completeAll({ calls, service }) {
  service.unblock()
  await Promise.all(calls)
}

async function abortAll({ calls, controller }) {
  controller.abort()
  const ends = await Promise.allSettled(calls)
  if (!ends.every(({ reason }) => reason === controller.signal.reason)) throw new Error('Some calls were not aborted.')
}

async function atEachSize(measure) {
  await measure(WARM_UP)
  const figures = []
  for (const size of SIZES) figures.push(await measure(size))
  return figures
}

const queued = async (name) => ({
  aborted: await atEachSize((size) => queueCalls(name, size, abortAll)),
  completed: await atEachSize((size) => queueCalls(name, size, completeAll)),
})

// The budget comes first, while the heap is small: the other parts leave much to collect.
process.send({
  budget: budgetPerSecond(),
  slot: await queued('slot'),
  rateLimit: await queued('rateLimit'),
  batch: await atEachSize(batchPerAddress),
})
