import type { Clock } from '../concurrency/clock.ts'
import type { CacheEvent } from '../events.ts'
import { isArray, isObject } from '../operations/type-guards.ts'
import type { CacheableOperation, CacheOptions, CacheStore } from '../options.ts'
import type { Emit } from './request-events.ts'
import type { Envelope, PlannedRequest } from './types.ts'

/** Whole answers, kept for as long as the options say. */
export interface Cache {
  /** The answer to a request, if there is a fresh one. A store that fails costs a request, never an answer. */
  get(request: PlannedRequest, ids: Ids): Promise<Envelope | undefined>
  /** Keeps the body of an answer. Nobody waits for the store. */
  set(request: PlannedRequest, text: string, ids: Ids): void
}

type Ids = Pick<CacheEvent, 'callId' | 'requestId' | 'operation'>

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

/** @param read the envelope of a body, or undefined where it does not match the contract */
export function createCache(
  options: CacheOptions,
  baseUrl: () => string,
  clock: Clock,
  read: (request: PlannedRequest, text: string) => Envelope | undefined,
  emit: Emit,
): Cache {
  const store = options.store ?? createMemoryStore()
  const ttlOf = ({ operation }: PlannedRequest) =>
    operation === 'account.me' || operation === 'request' ? 0 : (options.ttlMs[operation as CacheableOperation] ?? 0)
  const keyOf = (request: PlannedRequest) => `${KEY_PREFIX}${baseUrl()}${withoutLimit(request).path}`

  const failed = (ids: Ids, error: unknown) =>
    emit({ type: 'cache.failed', ...ids, message: error instanceof Error ? error.message : String(error) })

  async function find(request: PlannedRequest): Promise<Envelope | undefined> {
    const entry = parseEntry(await store.get(keyOf(request)))
    if (entry === undefined) return undefined
    const leftMs = entry.expiresAt - clock.now()
    // One that was written while a clock was ahead would be fresh for as long as that clock was wrong.
    if (leftMs <= 0 || leftMs > ttlOf(request)) return undefined
    const envelope = read(request, entry.text)
    return envelope && firstItems(envelope, withoutLimit(request).limit, entry.limit)
  }

  async function keep(request: PlannedRequest, text: string): Promise<void> {
    const ttl = ttlOf(request)
    const entry: Entry = { expiresAt: clock.now() + ttl, text, limit: withoutLimit(request).limit }
    await store.set(keyOf(request), JSON.stringify(entry), ttl)
  }

  return {
    async get(request, ids) {
      if (ttlOf(request) <= 0) return undefined
      try {
        const envelope = await find(request)
        if (envelope !== undefined) emit({ type: 'cache.hit', ...ids })
        return envelope
      } catch (error) {
        failed(ids, error)
        return undefined
      }
    },
    set(request, text, ids) {
      if (ttlOf(request) > 0) keep(request, text).catch((error) => failed(ids, error))
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
