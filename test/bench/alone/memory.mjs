/** A client of a build whose transport answers from memory: all that is measured is the client's own. */
import { pathToFileURL } from 'node:url'
import { addresses, prepare } from '../contenders/answers.mjs'

const BATCH = 50
const batches = addresses.map((_, i) => [...addresses, ...addresses].slice(i, i + BATCH))

const answers = new Map()
function answerTo(url) {
  const known = answers.get(url)
  if (known !== undefined) return known
  const { body, cost } = prepare(url)
  const headers = new Headers({ 'content-type': 'application/json', 'x-credits-cost': `${cost}` })
  const answer = { status: 200, headers, text: body.toString() }
  answers.set(url, answer)
  return answer
}

const transport = {
  send(attempt) {
    const response = answerTo(attempt.url)
    // Builds before it was renamed have `onSent`.
    if (attempt.beforeSend === undefined) attempt.onSent()
    else attempt.beforeSend()
    attempt.onHeaders(response)
    return Promise.resolve({ response })
  },
}

/** Returns a function that makes so many calls of a workload, one after another. @param folder of a built package */
export async function connectToMemory(folder) {
  const { createClient } = await import(pathToFileURL(`${folder}/dist/index.js`).href)
  const client = createClient({ apiKey: 'esk_test_bench', baseUrl: 'http://localhost/v1', transport })
  const calls = {
    price: (turn) => client.token.price({ address: addresses[turn % addresses.length] }),
    candles: (turn) => client.token.candles({ address: addresses[turn % addresses.length], bucket: '1h', limit: 500 }),
    batch: (turn) => client.prices.batch({ addresses: batches[turn % batches.length] }),
  }
  let turn = 0
  return async (name, count) => {
    for (let left = count; left > 0; left--) await calls[name](turn++)
  }
}

/** Bytes that a call allocates. Needs `--expose-gc`, and a young generation that holds all of them, so that nothing is collected meanwhile. */
export async function bytesOf(repeat, name, count) {
  global.gc()
  const before = process.memoryUsage().heapUsed
  await repeat(name, count)
  return (process.memoryUsage().heapUsed - before) / count
}

/** CPU time of a call in microseconds, garbage collection included. */
export async function cpuOf(repeat, name, count) {
  const before = process.cpuUsage()
  await repeat(name, count)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / count
}
