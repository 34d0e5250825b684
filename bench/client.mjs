// One contender in a process of its own. Prints microseconds of CPU for each call, or heap growth, as JSON.
// Calls go to 256 addresses in turn, so that nothing is shared between calls in flight.
import { checksumAddress, createClient } from 'etn-market'

const [contender, workload, port, calls] = process.argv.slice(2)
const baseUrl = `http://127.0.0.1:${port}/v1`
const addresses = Array.from({ length: 256 }, (_, i) => checksumAddress(`0x${(i + 1).toString(16).padStart(40, '0')}`))
const ADDRESS_COUNT = addresses.length

const contenders = {
  'bare fetch': () => async (address) => {
    const response = await fetch(`${baseUrl}/prices/52014/${address}`, {
      headers: { authorization: 'Bearer esk_test' },
    })
    return (await response.json()).data
  },
  'etn-market': () => {
    const client = createClient({
      apiKey: 'esk_test',
      baseUrl,
      budget: { credits: Number.MAX_SAFE_INTEGER },
      onEvent: () => {},
    })
    return (address) => client.token.price({ address })
  },
}

async function run(call, total, inFlight) {
  let next = 0
  const lane = async () => {
    while (next < total) {
      const price = await call(addresses[next++ % ADDRESS_COUNT])
      if (typeof price.usd !== 'string') throw new Error('not a price')
    }
  }
  await Promise.all(Array.from({ length: inFlight }, lane))
}

/** Heap in use when everything that may go has gone: what has been finalised is only free after another turn. */
async function heapUsed() {
  for (let turn = 0; turn < 3; turn++) {
    globalThis.gc?.()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return process.memoryUsage().heapUsed
}

const call = contenders[contender]()
const inFlight = workload === 'sequential' ? 1 : 50
await run(call, 500, inFlight)
const heap = await heapUsed()
const before = process.cpuUsage()
await run(call, Number(calls), inFlight)
const used = process.cpuUsage(before)
console.log(
  JSON.stringify({
    cpuPerCall: (used.user + used.system) / Number(calls),
    heapGrowth: (await heapUsed()) - heap,
  }),
)
