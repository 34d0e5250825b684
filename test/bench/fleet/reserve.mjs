/** One process that reserves and settles as fast as it can, in a number of fleets. A budget without its client, so that Redis is what is measured. */
import { createRedisFleet } from 'etn-market/redis'
import { connect } from './connect.mjs'

const IN_FLIGHT = 32
const CREDITS = 50
const { port } = JSON.parse(process.env.JOB)
const { redis, close } = await connect('ioredis', port)
const fleets = []
const fleetAt = (index) => {
  fleets[index] ??= createRedisFleet(redis, { name: `growth-${index}`, budget: { credits: 1_000_000_000_000 } })
  return fleets[index]
}
/** The budget is not public; a client uses it the same way. */
const budgetAt = (index) => fleetAt(index)[Symbol.for('etn-market.fleet')]().budget

async function initialize(keys) {
  for (let index = 0; index < keys; index++) await fleetAt(index).initialize()
  process.send({ done: true })
}

async function run(keys, durationMs) {
  const budgets = Array.from({ length: keys }, (_, index) => budgetAt(index))
  const until = performance.now() + durationMs
  let pairs = 0
  let next = Math.floor(Math.random() * keys)
  const work = async () => {
    while (performance.now() < until) {
      const reservation = await budgets[next++ % keys].reserve(CREDITS)
      reservation.settle(CREDITS)
      pairs++
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, work))
  // Behind the last settlement on the connection.
  await fleetAt(0).status()
  process.send({ pairs })
}

process.on('message', ({ initialize: keysToInitialize, keys, durationMs }) => {
  if (keysToInitialize) void initialize(keysToInitialize)
  else void run(keys, durationMs)
})
process.once('disconnect', close)
process.send({ ready: true })
