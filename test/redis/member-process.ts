/* A member of a fleet in a process of its own. It does what its parent asks for, and reports how each task ended. */
import { createClient } from 'etn-market'
import { createRedisFleet, type RedisFleetOptions } from 'etn-market/redis'
import { Redis } from 'ioredis'

export interface Start {
  readonly redisPort: number
  readonly baseUrl: string
  readonly apiKey: string
  readonly options: RedisFleetOptions
}

/** A heavy call, or the end. */
export type Task = 'heavy' | 'close'

export interface Report {
  readonly error?: { readonly code: string; readonly name: string }
}

const { redisPort, baseUrl, apiKey, options } = JSON.parse(process.argv[2] ?? '{}') as Start
const redis = new Redis({ port: redisPort, host: '127.0.0.1' }).on('error', () => {})
const fleet = createRedisFleet(redis, options)
const client = createClient({ baseUrl, apiKey, fleet })

async function carryOut(task: Task): Promise<Report> {
  try {
    if (task === 'heavy') await client.farm.list()
    else {
      await client.close()
      await fleet.close()
      redis.disconnect()
    }
    return {}
  } catch (error) {
    const { name, code } = error as Error & { code: string }
    return { error: { name, code } }
  }
}

process.on('message', async (task: Task) => {
  const report = await carryOut(task)
  if (process.connected) process.send?.(report)
  if (task === 'close') process.disconnect()
})
