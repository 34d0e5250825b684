import { createHash } from 'node:crypto'
import { contenders } from './contenders.mjs'

const API_KEY = 'esk_test_bench'
/** Addresses of one batch: the maximum of one request. */
const BATCH = 50
const SEEN_ADDRESSES = 12_000
/** One of this many results is checked: rare enough to cost nothing, often enough to notice skipped work. */
const CHECK_EVERY = 64

/** Different lower-cased addresses, the same ones in every process. */
const newAddresses = (count) =>
  Array.from({ length: count }, (_, i) => `0x${createHash('sha1').update(`address ${i}`).digest('hex')}`)

/** Overlapping batches, one from each address on. */
const batchesFromEach = (addresses) => addresses.map((_, i) => [...addresses, ...addresses].slice(i, i + BATCH))

/** Batches without a common address. */
const disjointBatches = (addresses) =>
  Array.from({ length: addresses.length / BATCH }, (_, i) => addresses.slice(i * BATCH, (i + 1) * BATCH))

const light = {
  inputs: (addresses) => addresses,
  call: (client, address) => client.light(address),
  isRight: (price, address) => price.address === address && typeof price.usd === 'string',
}

const batch = {
  inFlight: 1,
  call: (client, addresses) => client.batch(addresses),
  isRight: (prices) => {
    const list = Object.values(prices)
    return list.length === BATCH && list.every(({ usd }) => typeof usd === 'string')
  },
}

/** What is called with which inputs, how many calls are in flight, and which results are right. */
const workloads = {
  light: { ...light, inFlight: 1 },
  'light-50': { ...light, inFlight: 50 },
  candles: {
    inFlight: 1,
    inputs: (addresses) => addresses,
    call: (client, address, options) => client.candles(address, options),
    isRight: (candles) => candles.length === 500 && candles.every(({ close }) => typeof close === 'number'),
  },
  batch: { ...batch, inputs: batchesFromEach },
  'new-addresses': { ...batch, inputs: (_, calls) => disjointBatches(newAddresses(calls * BATCH)) },
  'seen-addresses': { ...batch, inputs: () => disjointBatches(newAddresses(SEEN_ADDRESSES)) },
}

/**
 * Connects the client of this process, and returns a function that makes so many calls of the workload. Each call takes the next input.
 * @param calls how many calls need an input of their own
 */
export async function connect({ contender, folder, workload, baseUrl, addresses }, calls = 0) {
  const service = { baseUrl, folder, apiKey: API_KEY, headers: { authorization: `Bearer ${API_KEY}` } }
  const client = await contenders[contender](service)
  const { call, isRight, inFlight, inputs } = workloads[workload]
  const list = inputs(addresses, calls)
  let next = 0
  return async (count, options) => {
    const end = next + count
    const worker = async () => {
      while (next < end) {
        const turn = next++
        const input = list[turn % list.length]
        const result = await call(client, input, options)
        if (turn % CHECK_EVERY === 0 && !isRight(result, input)) throw new Error('The result is wrong.')
      }
    }
    await Promise.all(Array.from({ length: inFlight }, worker))
  }
}
