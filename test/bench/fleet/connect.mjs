import { Redis } from 'ioredis'
import { createClient } from 'redis'

/** Connects one of the client libraries of Redis. They reconnect by themselves. */
export async function connect(library, port) {
  if (library === 'ioredis') {
    const redis = new Redis({ port, host: '127.0.0.1' }).on('error', () => {})
    return { redis, close: () => redis.disconnect() }
  }
  const redis = createClient({ socket: { port, host: '127.0.0.1' } }).on('error', () => {})
  await redis.connect()
  return { redis, close: () => redis.destroy() }
}
