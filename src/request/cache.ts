import { callStore } from '../concurrency/call-store.ts'
import type { CancellationSignal } from '../concurrency/cancellation.ts'
import { anchoredWallClock, type Clock, monotonicNow } from '../concurrency/clock.ts'
import type { CacheEvent } from '../events.ts'
import { isArray, isObject } from '../operations/type-guards.ts'
import type { CacheableOperation, CacheOptions, CacheStore } from '../options.ts'
import type { Emit } from './request-events.ts'
import type { Envelope, PlannedRequest } from './types.ts'

/** Whole answers, kept for as long as the options say. A store that fails costs a request, never an answer. */
export interface Cache {
  /** The fresh answer to a request, if there is one. @throws the reason of the signal, and nothing else */
  get(request: PlannedRequest, ids: Ids, wait: CacheWait): Promise<Envelope | undefined>
  /** Keeps the body of an answer. Nobody waits for the store. */
  set(request: PlannedRequest, text: string, ids: Ids): void
}

type Ids = Pick<CacheEvent, 'callId' | 'requestId' | 'operation'>

export interface CacheWait {
  /** How long the call may take as a whole, milliseconds. */
  readonly deadlineMs: number
  readonly signal: CancellationSignal
}

/** The text that is stored: with its expiry, because a store may ignore the time to live. */
interface Entry {
  readonly expiresAt: number
  readonly text: string
  /** The `limit` that a list was asked for with. */
  readonly limit?: number | undefined
}

const MAX_ANSWERS = 1_000
/** Changes with the form of an entry, so that entries of another version are not found. */
const KEY_PREFIX = 'etn-market:2:'
/** A request takes about as long as that: more is not worth a wait. */
const MAX_WAIT_MS = 1_000
/** How long a store that failed is left alone. */
const REST_MS = 30_000

/** @param read the envelope of a body, or undefined where it does not match the contract */
export function createCache(
  options: CacheOptions,
  baseUrl: () => string,
  clock: Clock,
  read: (request: PlannedRequest, text: string) => Envelope | undefined,
  emit: Emit,
): Cache {
  const store = options.store ?? createMemoryStore()
  // Steps of the wall clock make no answer of this process older or younger.
  const now = anchoredWallClock(clock)
  let restsUntil = Number.NEGATIVE_INFINITY
  /** What was kept by this cache, by time to live: those that expire first come first. */
  const kept = new Map<number, Map<string, number>>()
  const ttlOf = ({ operation }: PlannedRequest) =>
    operation === 'account.me' || operation === 'request' ? 0 : (options.ttlMs[operation as CacheableOperation] ?? 0)
  const keyOf = (request: PlannedRequest) => `${KEY_PREFIX}${baseUrl()}${withoutLimit(request).path}`
  const isUsed = (request: PlannedRequest) => ttlOf(request) > 0 && monotonicNow(clock) >= restsUntil

  function rest(ids: Ids, error: unknown): void {
    restsUntil = monotonicNow(clock) + REST_MS
    emit({ type: 'cache.failed', ...ids, message: error instanceof Error ? error.message : String(error) })
  }

  async function find(request: PlannedRequest, { deadlineMs, signal }: CacheWait): Promise<Envelope | undefined> {
    const timeoutMs = Math.min(MAX_WAIT_MS, deadlineMs / 2)
    const entry = parseEntry(await callStore(() => store.get(keyOf(request)), { clock, timeoutMs, signal }))
    if (entry === undefined) return undefined
    const leftMs = entry.expiresAt - now()
    // One that was written while a clock was ahead would be fresh for as long as that clock was wrong.
    if (leftMs <= 0 || leftMs > ttlOf(request)) return undefined
    const envelope = read(request, entry.text)
    return envelope && firstItems(envelope, withoutLimit(request).limit, entry.limit)
  }

  async function keep(request: PlannedRequest, text: string): Promise<void> {
    const ttl = ttlOf(request)
    const key = keyOf(request)
    const expiresAt = now() + ttl
    const entry: Entry = { expiresAt, text, limit: withoutLimit(request).limit }
    const expired = takeExpired()
    const sameTtl = kept.get(ttl) ?? new Map<string, number>()
    kept.set(ttl, sameTtl)
    sameTtl.delete(key)
    sameTtl.set(key, expiresAt)
    // Without a time limit, whose timer would outlive the client: nobody waits.
    await store.set(key, JSON.stringify(entry), ttl)
    for (const old of expired) if (old !== key) await store.delete(old)
  }

  /** Many stores ignore the time to live, and would keep what nobody asks for again. */
  function takeExpired(): string[] {
    const expired: string[] = []
    for (const keys of kept.values()) {
      for (const [key, expiresAt] of keys) {
        if (expiresAt > now() && keys.size <= MAX_ANSWERS) break
        keys.delete(key)
        if (expiresAt <= now()) expired.push(key)
      }
    }
    return expired
  }

  return {
    async get(request, ids, wait) {
      if (!isUsed(request)) return undefined
      try {
        const envelope = await find(request, wait)
        if (envelope !== undefined) emit({ type: 'cache.hit', ...ids })
        return envelope
      } catch (error) {
        wait.signal.throwIfAborted()
        rest(ids, error)
        return undefined
      }
    },
    set(request, text, ids) {
      if (isUsed(request)) keep(request, text).catch((error) => rest(ids, error))
    },
  }
}

/** Lists are kept without their limit: a longer one answers for a shorter one. Candles are not: which end counts is unknown. */
function withoutLimit({ operation, path, price }: PlannedRequest): { path: string; limit?: number } {
  const isList = price?.items === 'data' && operation !== 'token.candles'
  const [match = '', limit] = (isList && /[?&]limit=(\d+)/.exec(path)) || []
  return limit === undefined ? { path } : { path: `${path.replace(match, '')}#list`, limit: Number(limit) }
}

/** The first items of a list, if the list was asked for with a limit at least as high or holds all there is. */
function firstItems(
  envelope: Envelope,
  limit: number | undefined,
  keptLimit: number | undefined,
): Envelope | undefined {
  const { data } = envelope
  if (limit === undefined || limit === keptLimit) return envelope
  if (!isArray(data) || keptLimit === undefined || (limit > keptLimit && data.length >= keptLimit)) return undefined
  return { ...envelope, data: data.slice(0, limit) }
}

/** A store may hold anything. */
function parseEntry(stored: unknown): Entry | undefined {
  if (typeof stored !== 'string') return undefined
  const entry: unknown = JSON.parse(stored)
  if (!isObject(entry) || typeof entry.expiresAt !== 'number' || typeof entry.text !== 'string') return undefined
  return {
    expiresAt: entry.expiresAt,
    text: entry.text,
    limit: typeof entry.limit === 'number' ? entry.limit : undefined,
  }
}

/** Keeps texts, so that no caller can change what another one gets. The oldest are dropped first. */
function createMemoryStore(): CacheStore {
  const answers = new Map<string, string>()
  return {
    get: (key) => answers.get(key),
    set(key, value) {
      answers.delete(key)
      const [oldest] = answers.keys()
      if (answers.size >= MAX_ANSWERS && oldest !== undefined) answers.delete(oldest)
      answers.set(key, value)
    },
    delete: (key) => answers.delete(key),
  }
}
