import type { RedisConnection } from 'etn-market/redis'
import { Redis as IoRedis6 } from 'ioredis'
import { Redis as IoRedis5 } from 'ioredis-5'
import IoValkey from 'iovalkey'
import { createClient as createClient6 } from 'redis'
import { createClient as createClient5 } from 'redis-5'

export interface Connection {
  readonly redis: RedisConnection
  close(): unknown
}

const ignore = () => {}

/** Every client of Redis that people have, in both of its latest versions. */
export const CONNECTIONS: Record<string, (port: number) => Promise<Connection>> = {
  async 'redis 6'(port) {
    const client = createClient6({ socket: { port, host: '127.0.0.1' } }).on('error', ignore)
    await client.connect()
    return { redis: client, close: () => client.destroy() }
  },
  async 'redis 5'(port) {
    // When a connection ends while a command is about to be written, that command gets an answer of the next handshake, and this
    // version waits for the rest of it for good (redis 6 mended it: https://github.com/redis/node-redis/issues/3346). A time limit
    // for silence makes it connect again.
    const reconnectStrategy = (retries: number) => Math.min(50 * retries, 500)
    const socket = { port, host: '127.0.0.1', socketTimeout: 1_000, reconnectStrategy }
    const client = createClient5({ socket }).on('error', ignore)
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
  async 'a script runner'(port) {
    const client = new IoRedis6({ port, host: '127.0.0.1' }).on('error', ignore)
    const redis = {
      eval: (script: string, keys: string[], args: string[]) => client.eval(script, keys.length, ...keys, ...args),
    }
    return { redis, close: () => client.disconnect() }
  },
}
