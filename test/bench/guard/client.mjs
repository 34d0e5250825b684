/**
 * The client alone: its transport answers from memory. Answers each message with the bytes that a call allocates, those that are left of it while
 * its promise is kept, or its CPU time in microseconds. `JOB` has the path of a bundle of the client.
 */
import { pathToFileURL } from 'node:url'

const { bundle } = JSON.parse(process.env.JOB)
const { createClient } = await import(pathToFileURL(bundle))

const address = (index) => `0x${index.toString(16).padStart(40, '0')}`
const BATCH = Array.from({ length: 50 }, (_, index) => address(index + 1))
const PRICE = { usd: '1.234567890123456789', etn: '431.234567890123456789' }
const CANDLE = { open: 1.25, high: 1.5, low: 1.125, close: 1.375, volume: 12_345.678, count: 17 }

const answers = {
  price: { data: { address: BATCH[0], ...PRICE } },
  candles: {
    data: Array.from({ length: 500 }, (_, index) => ({ time: 1_700_000_000 + 60 * index, ...CANDLE })),
    cursor: null,
  },
  batch: { data: Object.fromEntries(BATCH.map((one) => [one, PRICE])) },
}
const credits = { price: 50, candles: 600, batch: 600 }
const inputs = {
  price: (client) => client.token.price({ address: BATCH[0] }),
  candles: (client) => client.token.candles({ address: BATCH[0], limit: 500 }),
  batch: (client) => client.prices.batch({ addresses: BATCH }),
}

const clients = Object.fromEntries(
  Object.keys(answers).map((workload) => {
    const text = JSON.stringify(answers[workload])
    const lines = { 'content-type': 'application/json', 'x-credits-cost': String(credits[workload]) }
    const headers = new Headers({ ...lines, 'x-credits-remaining': '1000000' })
    const transport = {
      async send(attempt) {
        // Commits before this name had another one.
        const beforeSend = attempt.beforeSend ?? attempt.onSent
        beforeSend.call(attempt)
        attempt.onHeaders({ status: 200, headers })
        return { response: { status: 200, headers, text } }
      },
    }
    // An answer against the contract is an error here: to explain it takes longer than a call.
    const options = { transport, logLevel: 'off', validate: 'strict' }
    return [workload, createClient({ apiKey: 'esk_test_bench', baseUrl: 'http://localhost', ...options })]
  }),
)

async function repeat(workload, calls, kept) {
  const call = inputs[workload]
  for (let index = 0; index < calls; index++) {
    const answer = call(clients[workload])
    kept?.push(answer)
    await answer
  }
}

const heapUsed = () => process.memoryUsage().heapUsed

process.on('message', async ({ workload, calls, figure }) => {
  if (figure === 'bytes') {
    globalThis.gc()
    const before = heapUsed()
    await repeat(workload, calls)
    return process.send((heapUsed() - before) / calls)
  }
  if (figure === 'kept') {
    const kept = []
    globalThis.gc()
    const before = heapUsed()
    await repeat(workload, calls, kept)
    await new Promise((resolve) => setImmediate(resolve))
    globalThis.gc()
    process.send((heapUsed() - before) / calls)
    return kept.splice(0)
  }
  const before = process.cpuUsage()
  await repeat(workload, calls)
  const { user, system } = process.cpuUsage(before)
  process.send((user + system) / calls)
})
process.send('ready')
