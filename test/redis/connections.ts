import { Redis as UpstashRedis } from '@upstash/redis'
import type { RedisConnection } from 'etn-market/redis'
import { Redis as IoRedis6 } from 'ioredis'
import { Redis as IoRedis5 } from 'ioredis-5'
import IoValkey from 'iovalkey'
import { createClient } from 'redis'
import { startUpstashBridge } from '../support/upstash-bridge.ts'

export interface Connection {
  readonly redis: RedisConnection
  close(): unknown
}

const ignore = () => {}

/** Every client of Redis that people have, in both of its latest versions; of `redis`, those before 6.2 stay dead after a broken connection. */
export const CONNECTIONS: Record<string, (port: number) => Promise<Connection>> = {
  async redis(port) {
    const client = createClient({ socket: { port, host: '127.0.0.1' } }).on('error', ignore)
    await client.connect()
    return { redis: client, close: () => client.destroy() }
  },
  async 'ioredis 6'(port) {
    const client = new IoRedis6({ port, host: '127.0.0.1' }).on('error', ignore)
    return { redis: client, close: () => client.disconnect() }
  },
  async 'ioredis 5'(port) {
    const client = new IoRedis5({ port, host: '127.0.0.1' }).on('error', ignore)
    return { redis: client, close: () => client.disconnect() }
  },
  async iovalkey(port) {
    const client = new IoValkey({ port, host: '127.0.0.1' }).on('error', ignore)
    return { redis: client, close: () => client.disconnect() }
  },
  '@upstash/redis': (port) => connectUpstash(port, true),
  '@upstash/redis without pipelines': (port) => connectUpstash(port, false),
  async 'a script runner'(port) {
    const client = new IoRedis6({ port, host: '127.0.0.1' }).on('error', ignore)
    const redis = {
      eval: (script: string, keys: string[], args: string[]) => client.eval(script, keys.length, ...keys, ...args),
    }
    return { redis, close: () => client.disconnect() }
  },
}

/** Its errors are written in another way with pipelines than without. */
async function connectUpstash(port: number, enableAutoPipelining: boolean): Promise<Connection> {
  const { url, close } = await startUpstashBridge(port)
  return { redis: new UpstashRedis({ url, token: 'secret', enableTelemetry: false, enableAutoPipelining }), close }
}
