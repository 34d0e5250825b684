import type { Redis } from 'ioredis'
import type { ScriptRunner } from '../../src/redis/options.ts'

/** Runs scripts on a real server with a time of its own: the scripts read this one in place of the server's clock. */
export interface TimedRunner extends ScriptRunner {
  /** Unix milliseconds. */
  now: number
}

/** The time is one more key of a script, whose text stays the same: a server compiles each text that it does not know. */
const TIME = "{ string.match(table.remove(KEYS), '^(%d+) (%d+)$') }"

export function createTimedRunner(redis: Redis, now = 1_000_000_000_000): TimedRunner {
  const runner: TimedRunner = {
    now,
    eval(script, keys, args) {
      const timed = script.replace("redis.call('TIME')", () => TIME)
      if (timed === script && script.includes('now')) throw new Error('The script has no time to replace.')
      const time = `${Math.floor(runner.now / 1000)} ${(runner.now % 1000) * 1000}`
      return redis.eval(timed, keys.length + 1, ...keys, time, ...args)
    },
  }
  return runner
}
