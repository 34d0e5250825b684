/** Sends prepared pairs of reserve and settle in batches, so that Redis and not the sender is the limit. */
import { once } from 'node:events'
import { createConnection } from 'node:net'
import { createRedisFleet } from 'etn-market/redis'
import { connect } from './connect.mjs'

const { port, durationMs } = JSON.parse(process.env.JOB)
const SOCKETS = 4
const PAIRS_IN_BATCH = 100
const ASTERISK = 0x2a

const { redis, close } = await connect('ioredis', port)

/** The two commands as the fleet itself sends them. */
async function record() {
  const recorded = []
  const runner = {
    eval(script, keys, args) {
      recorded.push({ script, keys, args })
      return redis.eval(script, keys.length, ...keys, ...args)
    },
  }
  const fleet = createRedisFleet(runner, { name: 'saturate', budget: { credits: 1_000_000_000_000 } })
  await fleet.initialize()
  const reservation = await fleet[Symbol.for('etn-market.fleet')]().budget.reserve(50)
  reservation.settle(50)
  await fleet.close()
  const [, reserve, settle] = recorded
  return [reserve, settle]
}

const encode = (parts) =>
  `*${parts.length}\r\n${parts.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`).join('')}`

const commands = await record()
const recordedId = commands[0].args[1]
const templates = []
for (const { script, keys, args } of commands) {
  const sha = await redis.script('LOAD', script)
  templates.push(encode(['EVALSHA', sha, `${keys.length}`, ...keys, ...args.map(String)]))
}
const pair = templates.join('').split(recordedId)
let ids = 0
const nextBatch = () => {
  let text = ''
  for (let left = PAIRS_IN_BATCH; left > 0; left--) {
    text += pair.join(`${recordedId.slice(0, -7)}${String(++ids).padStart(7, '0')}`.slice(-recordedId.length))
  }
  return text
}

async function pump(until) {
  const socket = createConnection({ port, host: '127.0.0.1' })
  await once(socket, 'connect')
  let open = 0
  let pairs = 0
  const send = () => {
    open += 2 * PAIRS_IN_BATCH
    socket.write(nextBatch())
  }
  await new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.on('data', (chunk) => {
      // Each answer is one array, and nothing else in it has this byte.
      for (const byte of chunk) if (byte === ASTERISK) open--
      if (chunk[0] === 0x2d) reject(new Error(String(chunk).slice(0, 200)))
      if (performance.now() >= until) {
        if (open === 0) resolve()
      } else if (open < 2 * PAIRS_IN_BATCH) {
        pairs += PAIRS_IN_BATCH
        send()
      }
    })
    // Two batches are always on their way.
    pairs += 2 * PAIRS_IN_BATCH
    send()
    send()
  })
  socket.destroy()
  return pairs
}

const startedAt = performance.now()
const until = startedAt + durationMs
const pairs = (await Promise.all(Array.from({ length: SOCKETS }, () => pump(until)))).reduce((sum, one) => sum + one, 0)
const seconds = (performance.now() - startedAt) / 1_000
const spent = Number(await redis.hget('{etn-market:saturate}:state', 's0'))
if (spent !== 50 * (pairs + 1)) throw new Error(`Redis has counted ${spent} credits for ${pairs + 1} pairs.`)
process.send({ pairs, seconds })
close()
process.disconnect()
