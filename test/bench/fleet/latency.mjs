/** Measures how long a call of `token.price` takes with a budget in memory, and with one in Redis, and the CPU time of this process for it. */
import { createClient } from 'etn-market'
import { createNodeTransport } from 'etn-market/node'
import { createRedisFleet } from 'etn-market/redis'
import { connect } from './connect.mjs'

const { port, baseUrl, addresses, calls } = JSON.parse(process.env.JOB)
const CREDITS = 1_000_000_000_000
const apiKey = 'esk_test_bench'
const open = (options) => createClient({ apiKey, baseUrl, transport: createNodeTransport(), ...options })

async function join(library) {
  const { redis, close } = await connect(library, port)
  const fleet = createRedisFleet(redis, { name: 'latency', budget: { credits: CREDITS } })
  await fleet.initialize()
  return { client: open({ fleet }), close }
}

const members = { ioredis: await join('ioredis'), redis: await join('redis') }
const clients = {
  memory: open({ budget: { credits: CREDITS } }),
  ioredis: members.ioredis.client,
  redis: members.redis.client,
}

/** Adds the latency of each call, in µs, and returns the CPU time of all in µs. */
async function measure(client, count, inFlight, latencies) {
  let next = 0
  const work = async () => {
    while (next < count) {
      const address = addresses[next++ % addresses.length]
      const startedAt = performance.now()
      await client.token.price({ address })
      latencies.push((performance.now() - startedAt) * 1_000)
    }
  }
  const before = process.cpuUsage()
  await Promise.all(Array.from({ length: inFlight }, work))
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/** Short blocks in turn, so that a slow moment meets all clients. */
async function compare(blocks, blockSize, inFlight) {
  const names = Object.keys(clients)
  const latencies = Object.fromEntries(names.map((name) => [name, []]))
  const cpu = Object.fromEntries(names.map((name) => [name, 0]))
  for (const name of names) await measure(clients[name], 10 * blockSize, inFlight, [])
  for (let block = 0; block < blocks; block++) {
    const first = block % names.length
    for (const name of [...names.slice(first), ...names.slice(0, first)])
      cpu[name] += await measure(clients[name], blockSize, inFlight, latencies[name])
  }
  return Object.fromEntries(
    names.map((name) => {
      const sorted = latencies[name].sort((a, b) => a - b)
      const at = (share) => sorted[Math.floor(share * sorted.length)]
      return [name, { median: at(0.5), p99: at(0.99), cpu: cpu[name] / sorted.length }]
    }),
  )
}

const single = await compare(calls / 50, 50, 1)
const many = await compare(calls / 500, 500, 50)
process.send({ single, many })
for (const client of Object.values(clients)) await client.close()
for (const { close } of Object.values(members)) await close()
process.disconnect()
