import { startTimer, systemClock } from '../concurrency/clock.ts'
import { nextTurn } from '../concurrency/event-loop.ts'
import type { ErrorDetails } from '../errors/base.ts'
import { describeCall, StateUnavailableError } from '../errors/budget.ts'
import { InvalidRequestError, invalidOption } from '../errors/input.ts'
import { memoize } from '../utils/address.ts'
import { sha1Hex } from '../utils/hash.ts'
import type { FleetSettings, IoRedisClient, NodeRedisClient, RedisConnection, ScriptRunner } from './options.ts'
import { compareConfigs } from './scripts/config.lua.ts'

type RunScript = (script: string, keys: string[], args: string[]) => Promise<unknown>

/** @param maxMs how long a command may take; a client that has a limit of its own gets a longer one */
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
  const hashOf = memoize(sha1Hex)
  /** A burst of commands that the server does not know yet sends the script once. */
  const loading = new Map<string, Promise<unknown>>()
  return async (script, keys, args) => {
    for (;;) {
      try {
        return await evalByHash(hashOf(script), keys, args)
      } catch (error) {
        if (firstWord(error) !== 'NOSCRIPT') throw error
      }
      const loaded = loading.get(script)
      if (loaded === undefined) break
      await loaded.catch(() => {})
    }
    const sent = evalText(script, keys, args).finally(() => loading.delete(script))
    loading.set(script, sent)
    return sent
  }
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

/** Others have `evalsha` too, with other arguments, such as `@upstash/redis`. */
function isIoRedis(redis: RedisConnection): redis is IoRedisClient {
  return hasMethod(redis, 'evalsha') && hasMethod(redis, 'eval') && hasMethod(redis, 'defineCommand')
}

/** `WAIT` is about what its own connection wrote. Of the clients, those with one connection have `MONITOR`: no pool, no cluster, no `createSentinel`. */
function isOneConnection(redis: RedisConnection): boolean {
  return hasMethod(redis, 'monitor') || !(isNodeRedis(redis) || isIoRedis(redis))
}

function hasMethod<Name extends string>(value: unknown, name: Name): boolean {
  return typeof value === 'object' && value !== null && typeof (value as Record<Name, unknown>)[name] === 'function'
}

/** The first word of an error of the server, such as NOSCRIPT. The classes of such errors differ between clients. */
export function firstWord(error: unknown): string {
  const { message } = (error ?? {}) as { message?: unknown }
  return typeof message === 'string' ? (message.split(' ', 1)[0] ?? '') : ''
}

/** These errors state that the script was not executed. Another one may hide an execution. */
const NOT_EXECUTED =
  /^(NOTINITIALIZED|MISMATCH|STATELOST|OOM|READONLY|LOADING|MASTERDOWN|NOREPLICAS|BUSY|CROSSSLOT|CLUSTERDOWN|TRYAGAIN|NOAUTH|NOPERM|MISCONF)$/

/**
 * An error of the client with its name and its message alone: what else it has may be the arguments of a command, a password among them. `@upstash/redis` writes
 * around what the server said.
 */
function readClientError(error: unknown): Error {
  const { name = 'Error', message = error } = Object(error) as { name?: unknown; message?: unknown }
  const text = String(message)
    .replace(/^Command failed: /, '')
    .replace(/, command was: \[.*$/s, '')
  return Object.defineProperty(new Error(text), 'name', { value: String(name), configurable: true, writable: true })
}

export function mayBeExecuted(error: unknown): boolean {
  return !NOT_EXECUTED.test(firstWord(error)) && !isOfOldServer(error)
}

/** Servers before 7.0, and imitations of them, do not know the first line of the scripts. */
function isOfOldServer(error: unknown): boolean {
  return String(error).includes("unexpected symbol near '#'")
}

export function toFleetError(
  error: unknown,
  fleet: { readonly name: string; readonly config: string },
  details: Omit<ErrorDetails, 'code'> = {},
): StateUnavailableError | InvalidRequestError {
  const { subject, sent } = describeCall(details)
  const word = firstWord(error)
  const name = `fleet "${fleet.name}"`
  if (word === 'MISMATCH') {
    const [, found = ''] = /^MISMATCH ([\d ]+) /.exec((error as Error).message) ?? []
    const differences = compareConfigs(found, fleet.config)
    const advice = differences.isCreditsOnly
      ? 'Give every member the same, or change those of the fleet by initialize({ budget }).'
      : 'Give every member the same options, or choose another name.'
    return new InvalidRequestError(
      `${subject} ${name} has ${differences.found}, but this member expects ${differences.expected}. ${sent} ${advice}`,
      { ...details, code: 'fleet_mismatch' },
    )
  }
  if (word === 'STATELOST')
    return new StateUnavailableError(
      `${subject} ${name} has lost a part of its state: Redis has less than its members have seen in this window. ${sent} Call reconcile(client) if nobody else spends with the key, or initialize().`,
      { ...details, code: 'state_lost', cause: error },
    )
  return new StateUnavailableError(`${subject} ${name} ${reasonOf(error, sent)}`, { ...details, cause: error })
}

function reasonOf(error: unknown, sent: string): string {
  if (firstWord(error) === 'NOTINITIALIZED')
    return `has no state in Redis: it was never initialized, or Redis has lost its data. ${sent} Call initialize() on purpose, once.`
  if (isOfOldServer(error)) return `needs Redis 7.0 or newer, and this server is older. ${sent}`
  return `cannot read or write its state in Redis. ${sent} Check Redis; the error's cause says what happened.`
}

/**
 * Makes a script end its reply with the id of its command, the last of its arguments: after a broken connection, some clients of Redis give a
 * command the reply to another one.
 */
export function tagScript(script: string): string {
  const body = script.indexOf('\n') + 1
  // The first line names the engine and has the flags.
  return `${script.slice(0, body)}local commandId = table.remove(ARGV)
local function run()
${script.slice(body)}
end
local reply = run()
if type(reply) ~= 'table' then return { reply, commandId } end
if reply.err then return redis.error_reply(reply.err .. ' ' .. commandId) end
reply[#reply + 1] = commandId
return reply
`
}

/** These errors are made by the scripts, and so end with the id of their command. */
const ERRORS_OF_SCRIPTS = /^(NOTINITIALIZED|MISMATCH|STATELOST) /

/** The reply without the id. @throws Error when it belongs to another command */
function readReply(reply: unknown, commandId: string): string[] {
  const parts = Array.isArray(reply) ? reply.map(String) : []
  if (parts.pop() !== commandId) throw foreignReply()
  return parts
}

/** The error, or another one where it belongs to another command. */
function readError(error: unknown, commandId: string): Error {
  const read = readClientError(error)
  return ERRORS_OF_SCRIPTS.test(read.message) && !read.message.endsWith(` ${commandId}`) ? foreignReply() : read
}

const foreignReply = () =>
  new Error(
    'The client of Redis gave a reply that belongs to another command, so it is not known whether this one was executed.',
  )

const WAIT_NEEDS_CONNECTION =
  'Invalid wait: it needs a client with one connection, because WAIT is about what its own connection wrote. A pool, a cluster and createSentinel of redis have several. Leave wait out, or give the fleet a client of its own: createClient of redis, or new Redis of ioredis or iovalkey, which follow a fail-over by `sentinels`.'

/** Runs one script. It rejects when there is no answer in time, whatever the client does. */
export type Command = (script: string, keys: string[], args: readonly (string | number)[]) => Promise<string[]>

/** The commands of a member. One that took too long may still be executed. A queued command does not time out while earlier ones are answered. */
export class Commands {
  readonly #redis: ScriptRunner
  readonly #runScript: RunScript
  readonly #settings: FleetSettings
  readonly #nextId: () => string
  #answeredAt = Number.NEGATIVE_INFINITY

  /** @param nextId an id that no other command has, of any process */
  constructor(redis: RedisConnection, settings: FleetSettings, nextId: () => string) {
    this.#runScript = chooseRun(redis, settings.leaseMs)
    this.#redis = redis as ScriptRunner
    this.#settings = settings
    this.#nextId = nextId
    if (settings.wait !== undefined && !(hasMethod(redis, 'wait') && isOneConnection(redis)))
      throw new InvalidRequestError(WAIT_NEEDS_CONNECTION, { code: 'invalid_option' })
  }

  readonly run: Command = async (script, keys, args) => {
    const id = this.#nextId()
    const { timeoutMs, leaseMs } = this.#settings
    try {
      const work = this.#runScript(script, keys, [...args.map(String), id])
      const recordAnswer = () => {
        this.#answeredAt = systemClock.monotonic()
      }
      // Also where nobody waits for it any more: others wait in line behind it.
      work.then(recordAnswer, () => {})
      const limits = { maxMs: leaseMs, answeredAt: () => this.#answeredAt }
      return readReply(await withReplyTimeout(work, timeoutMs, limits), id)
    } catch (error) {
      throw readError(error, id)
    }
  }

  /** @throws when too few replicas have what was written */
  async waitForReplicas(): Promise<void> {
    const { wait, timeoutMs } = this.#settings
    if (wait === undefined || this.#redis.wait === undefined) return
    // WAIT is a command like others: an answer that is there wins against a timer that is late.
    const work = withReplyTimeout(this.#redis.wait(wait.replicas, wait.timeoutMs), timeoutMs)
    const reached = await work.then(Number, (error) => Promise.reject(readClientError(error)))
    // An answer, not an error: WAIT gives up silently.
    if (!(reached >= wait.replicas)) throw new Error(`${reached} of ${wait.replicas} replicas have the reservation.`)
  }
}

/**
 * Settles as `work` does, or rejects when nothing was answered for `timeoutMs`, at the latest after `maxMs`. An answer that is there already wins
 * against a timer that is late, because the program was busy: the turns of the event loop in which it is read come first.
 */
function withReplyTimeout<T>(
  work: Promise<T>,
  timeoutMs: number,
  { maxMs = timeoutMs, answeredAt = () => Number.NEGATIVE_INFINITY } = {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    const startedAt = systemClock.monotonic()
    let isDone = false
    const check = async () => {
      await nextTurn()
      await nextTurn()
      const until = Math.min(Math.max(startedAt, answeredAt()) + timeoutMs, startedAt + maxMs)
      const leftMs = until - systemClock.monotonic()
      if (isDone) return
      if (leftMs > 0) stopTimer = startTimer(systemClock, leftMs, check)
      else reject(new Error(`Redis did not answer within ${timeoutMs} ms.`))
    }
    let stopTimer = startTimer(systemClock, timeoutMs, check)
    const end = () => {
      isDone = true
      stopTimer()
    }
    work.finally(end).then(resolve, reject)
  })
}
