import type { RedisServer } from '../../support/redis-server.ts'

/** What a server says about itself. */
export interface RedisStats {
  /** CPU time so far, seconds. */
  readonly cpuSeconds: number
  /** Memory in use, bytes. */
  readonly memory: number
  readonly version: string
}

export async function redisStats(server: RedisServer): Promise<RedisStats> {
  const text = await server.command('INFO', 'everything')
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(text)?.[1] ?? ''
  return {
    cpuSeconds: Number(field('used_cpu_sys_main_thread')) + Number(field('used_cpu_user_main_thread')),
    memory: Number(field('used_memory')),
    version: field('redis_version'),
  }
}
