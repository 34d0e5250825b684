/** One process of the long run: makes its share of the calls, whatever fails. */
import { createClient, isEtnMarketError } from 'etn-market'
import { createNodeTransport } from 'etn-market/node'
import { createRedisFleet } from 'etn-market/redis'
import { connect } from './connect.mjs'

const { port, library, baseUrl, apiKey, tokens, fleetOptions, calls, maxMs } = JSON.parse(process.env.JOB)
const IN_FLIGHT = 8
const { redis, close } = await connect(library, port)
const fleet = createRedisFleet(redis, fleetOptions)
const client = createClient({ apiKey, baseUrl, fleet, transport: createNodeTransport() })

/** Of 20 calls, 16 are of one price, three of a batch of ten, one of candles. Each loop has tokens of its own, so that no call is shared. */
function call(number, loop) {
  const address = tokens[loop]
  const kind = number % 20
  if (kind < 16) return client.token.price({ address })
  if (kind < 19)
    return client.prices.batch({ addresses: Array.from({ length: 10 }, (_, index) => addressOf(loop, index)) })
  return client.token.candles({ address, bucket: '1h', limit: 50 })
}

const addressOf = (loop, index) => `0x${(10 * loop + index + 1).toString(16).padStart(40, '0')}`

const outcomes = {}
let left = calls
let until = 0
async function work(_, loop) {
  for (let number = loop; left-- > 0 && performance.now() < until; number++) {
    let outcome = 'ok'
    try {
      await call(number, loop)
    } catch (error) {
      if (!isEtnMarketError(error)) throw error
      outcome = error.name
    }
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  }
}

process.once('message', async () => {
  until = performance.now() + maxMs
  await Promise.all(Array.from({ length: IN_FLIGHT }, work))
  await client.close()
  await fleet.close()
  await close()
  process.send({ outcomes })
  process.disconnect()
})
process.send({ ready: true })
