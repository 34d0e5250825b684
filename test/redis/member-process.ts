/* A member of a fleet in a process of its own. It makes the calls that its parent asks for, and reports how each ended. */
import { type ClientOptions, createClient, isEtnMarketError, StateUnavailableError } from 'etn-market'
import { createRedisFleet, type RedisFleetOptions } from 'etn-market/redis'
import { Redis } from 'ioredis'

export interface Start {
  readonly redisPort: number
  readonly baseUrl: string
  readonly apiKey: string
  readonly options: RedisFleetOptions
  readonly clientOptions?: ClientOptions
}

/** One call, or as many as fit into the budget. */
export type Task =
  | { readonly id: number; readonly type: 'call'; readonly path: string; readonly maxCredits: number }
  | { readonly id: number; readonly type: 'heavy' }
  | { readonly id: number; readonly type: 'spend'; readonly addresses: readonly string[] }
  | { readonly id: number; readonly type: 'initialize' | 'close' }

export type Report = { readonly id: number; readonly value?: unknown; readonly error?: { code: string; name: string } }

const { redisPort, baseUrl, apiKey, options, clientOptions } = JSON.parse(process.argv[2] ?? '{}') as Start
const redis = new Redis({ port: redisPort, host: '127.0.0.1' }).on('error', () => {})
const fleet = createRedisFleet(redis, options)
const client = createClient({ baseUrl, apiKey, fleet, ...clientOptions })

async function run(task: Task): Promise<unknown> {
  if (task.type === 'initialize') return fleet.initialize()
  if (task.type === 'heavy') return (await client.farm.list()).length
  if (task.type === 'call') return client.request(task.path, { maxCredits: task.maxCredits })
  if (task.type === 'spend') return spend(task.addresses)
  await client.close()
  await fleet.close()
  redis.disconnect()
  return undefined
}

/** Several calls at a time, until the budget refuses one. */
async function spend(addresses: readonly string[]): Promise<number> {
  let calls = 0
  await Promise.all(
    addresses.map(async (address) => {
      for (;;) {
        try {
          await client.token.price({ address })
          calls++
        } catch (error) {
          if (isEtnMarketError(error) && error.code === 'budget_exceeded') return
          // A machine under load may answer late: nothing was sent then.
          if (!(error instanceof StateUnavailableError)) throw error
        }
      }
    }),
  )
  return calls
}

process.on('message', (task: Task) => {
  const report = (fields: object) => process.connected && process.send?.({ id: task.id, ...fields } satisfies Report)
  run(task)
    .then(
      (value) => report({ value }),
      (error: Error & { code: string }) => report({ error: { name: error.name, code: error.code } }),
    )
    .finally(() => {
      if (task.type === 'close') process.disconnect()
    })
})
