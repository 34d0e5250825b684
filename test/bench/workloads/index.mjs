import { newAddresses } from './new-addresses.mjs'

/** Addresses of one batch: the maximum of one request. */
const BATCH = 50
const SEEN_ADDRESSES = 12_000

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
export const workloads = {
  light: { ...light, inFlight: 1 },
  'light-50': { ...light, inFlight: 50 },
  candles: {
    inFlight: 1,
    inputs: (addresses) => addresses,
    call: (client, address, options) => client.candles(address, options),
    isRight: (candles) => candles.length === 500 && candles.every(({ close }) => typeof close === 'number'),
  },
  batch: { ...batch, inputs: batchesFromEach },
  'new-addresses': { ...batch, inputs: (_addresses, calls) => disjointBatches(newAddresses(calls * BATCH)) },
  'seen-addresses': { ...batch, inputs: () => disjointBatches(newAddresses(SEEN_ADDRESSES)) },
}
