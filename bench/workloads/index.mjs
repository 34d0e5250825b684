/** Addresses that one batch asks for: what one request takes. */
const BATCH = 50

const batches = (addresses) => addresses.map((_, i) => [...addresses, ...addresses].slice(i, i + BATCH))

const light = {
  inputs: (addresses) => addresses,
  call: (client, address) => client.light(address),
  isRight: (price, address) => price.address === address && typeof price.usd === 'string',
}

/** What is called, how many at a time, and what a right answer is. */
export const workloads = {
  light: { ...light, inFlight: 1 },
  'light-50': { ...light, inFlight: 50 },
  candles: {
    inFlight: 1,
    inputs: (addresses) => addresses,
    call: (client, address, options) => client.candles(address, options),
    isRight: (candles) => candles.length === 500 && candles.every(({ close }) => typeof close === 'number'),
  },
  batch: {
    inFlight: 1,
    inputs: batches,
    call: (client, addresses) => client.batch(addresses),
    isRight: (prices) => {
      const list = Object.values(prices)
      return list.length === BATCH && list.every(({ usd }) => typeof usd === 'string')
    },
  },
}
