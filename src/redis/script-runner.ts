import { InvalidRequestError, invalidOption } from '../errors/input.ts'
import { firstWord } from './command-error.ts'
import { sha1Hex } from './hash.ts'
import type { IoRedisClient, NodeRedisClient, RedisConnection, ScriptRunner } from './types.ts'

/** Runs a script, by its hash where the client can. */
export type RunScript = (script: string, keys: string[], args: string[]) => Promise<unknown>

/** One interface for the clients of Redis. */
export interface Runner {
  readonly run: RunScript
  /** Resolves with the number of replicas that have what was written before. */
  readonly wait: ((replicas: number, timeoutMs: number) => Promise<unknown>) | undefined
}

/** @param maxMs how long a command may take; a client that has a limit of its own gets a longer one */
export function createRunner(redis: RedisConnection, maxMs: number, needsWait: boolean): Runner {
  const wait = (redis as ScriptRunner | undefined)?.wait
  if (needsWait && (typeof wait !== 'function' || isCluster(redis)))
    throw new InvalidRequestError('Invalid wait: this connection has no WAIT, as a cluster has none.', {
      code: 'invalid_option',
    })
  return {
    run: chooseRun(redis, maxMs),
    wait: wait && ((replicas, timeoutMs) => wait.call(redis, replicas, timeoutMs)),
  }
}

function chooseRun(redis: RedisConnection, maxMs: number): RunScript {
  if (isNodeRedis(redis)) {
    const client = withOwnTimeout(redis, maxMs)
    return byHash(
      (sha, keys, args) => client.evalSha(sha, { keys, arguments: args }),
      (script, keys, args) => client.eval(script, { keys, arguments: args }),
    )
  }
  if (isIoRedis(redis)) {
    return byHash(
      (sha, keys, args) => redis.evalsha(sha, keys.length, ...keys, ...args),
      (script, keys, args) => redis.eval(script, keys.length, ...keys, ...args),
    )
  }
  if (hasMethod(redis, 'eval')) return async (script, keys, args) => redis.eval(script, keys, args)
  throw invalidOption(
    'redis',
    // A URL may hold a password.
    typeof redis === 'string' ? 'a text' : redis,
    'a client of redis, ioredis or iovalkey, or an object with eval(script, keys, args)',
  )
}

/** Sends the hash of a script; the script itself where the server does not know it, or any more. */
function byHash(evalByHash: RunScript, evalText: RunScript): RunScript {
  const hashes = new Map<string, string>()
  /** A burst of commands that the server does not know yet sends the script once. */
  const loading = new Map<string, Promise<unknown>>()
  const hashOf = (script: string) => {
    const known = hashes.get(script) ?? sha1Hex(script)
    hashes.set(script, known)
    return known
  }
  const runOr = async (script: string, keys: string[], args: string[], orElse: () => Promise<unknown>) => {
    try {
      return await evalByHash(hashOf(script), keys, args)
    } catch (error) {
      if (firstWord(error) !== 'NOSCRIPT') throw error
      return orElse()
    }
  }
  return (script, keys, args) =>
    runOr(script, keys, args, async () => {
      const loaded = loading.get(script)
      if (loaded !== undefined) {
        await loaded.catch(() => {})
        return runOr(script, keys, args, () => evalText(script, keys, args))
      }
      const sent = evalText(script, keys, args).finally(() => loading.delete(script))
      loading.set(script, sent)
      return sent
    })
}

/** The limit of the client is later, so that the fleet's own decides. */
const MARGIN_MS = 1_000

/** From version 6 on, commands of `redis` fail after 5 seconds by default, those that wait to be written included. */
function withOwnTimeout(redis: NodeRedisClient, maxMs: number): NodeRedisClient {
  const { withCommandOptions } = redis as { withCommandOptions?: (options: object) => NodeRedisClient }
  return typeof withCommandOptions === 'function'
    ? withCommandOptions.call(redis, { timeout: maxMs + MARGIN_MS })
    : redis
}

function isNodeRedis(redis: RedisConnection): redis is NodeRedisClient {
  return hasMethod(redis, 'evalSha') && hasMethod(redis, 'eval')
}

function isIoRedis(redis: RedisConnection): redis is IoRedisClient {
  return hasMethod(redis, 'evalsha') && hasMethod(redis, 'eval')
}

/** A command without a key goes to any node of a cluster. */
function isCluster(redis: object): boolean {
  return (redis as { isCluster?: unknown }).isCluster === true || 'masters' in redis
}

function hasMethod<Name extends string>(value: unknown, name: Name): boolean {
  return typeof value === 'object' && value !== null && typeof (value as Record<Name, unknown>)[name] === 'function'
}
