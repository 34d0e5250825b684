import type { CacheEvent } from '../client/events.ts'
import type { CacheableOperation, CacheOptions, CacheStore } from '../client/options.ts'
import type { CancellationSignal } from '../concurrency/cancellation.ts'
import type { AgeClock, Clock } from '../concurrency/clock.ts'
import { callStore, storedText } from '../concurrency/store-call.ts'
import { checkStore, invalidOption, rejectUnknown } from '../errors/input.ts'
import { operations } from '../generated/operations.ts'
import { isArray, isNumber, isObject } from '../operations/type-guards.ts'
import { cachedForMs } from '../transport/age.ts'
import { createHashNames } from '../utils/hash-name.ts'
import { parseJson } from '../utils/json-data.ts'
import { messageOf } from '../utils/runtime.ts'
import type { PlannedRequest } from './plan-requests.ts'
import { copyEnvelope, type Envelope, isExpected, type RequestResult } from './read-answer.ts'
import type { Emit } from './send.ts'

type Ids = Pick<CacheEvent, 'callId' | 'requestId' | 'operation'>

interface CacheWait {
  readonly deadlineMs: number
  readonly signal: CancellationSignal
}

/** The text that is stored: with its expiry, because a store may ignore the time to live. */
interface Entry {
  readonly expiresAt: number
  readonly text: string
  readonly limit?: number | undefined
}

const MAX_ANSWERS = 1_000
/** Changes with the form of an entry, so that entries of another version are not found. */
const KEY_PREFIX = 'etn-market:3:'
/** A request takes about as long as that: more is not worth a wait. */
const MAX_WAIT_MS = 1_000
const REST_MS = 30_000

/** Checks the option `cache`: one that is misspelt, or whose time ends never or at once, would buy every answer. */
export function checkCache(cache: CacheOptions): void {
  rejectUnknown('cache option', cache, ['ttlMs', 'store'])
  const { ttlMs, store } = cache
  if (!isObject(ttlMs)) throw invalidOption('cache.ttlMs', ttlMs, 'an object: { [operation]: milliseconds }')
  // An answer about the key is for nobody else.
  const cacheable = Object.keys(operations).filter((operation) => operation !== 'account.me')
  rejectUnknown('operation of cache.ttlMs', ttlMs, cacheable)
  for (const [operation, ms] of Object.entries(ttlMs)) {
    if (ms !== undefined && !(isNumber(ms) && ms >= 0))
      throw invalidOption(`cache.ttlMs['${operation}']`, ms, 'a finite number of milliseconds, or 0 for none')
  }
  checkStore('cache.store', store, 'delete')
}

/** Whole answers, kept for as long as the options say. A store that fails costs a request, never an answer. */
export class Cache {
  readonly #ttlMs: CacheOptions['ttlMs']
  readonly #store: CacheStore
  readonly #baseUrl: () => string
  readonly #emit: Emit | undefined
  readonly #ages: AgeClock<Clock>
  /** Many stores take no long keys, or change keys with `?` and `/`. */
  readonly #nameOf = createHashNames()
  #restsUntil = Number.NEGATIVE_INFINITY
  /** What was kept by this cache, by time to live, and until when it is fresh: those that expire first come first. */
  readonly #kept = new Map<number, Map<string, number>>()

  constructor(
    { ttlMs, store = createMemoryStore() }: CacheOptions,
    baseUrl: () => string,
    ages: AgeClock<Clock>,
    emit: Emit | undefined,
  ) {
    // A copy, because nobody checks what is changed later.
    this.#ttlMs = { ...ttlMs }
    this.#store = store
    this.#baseUrl = baseUrl
    this.#emit = emit
    this.#ages = ages
  }

  /** The fresh answer to a request, if there is one. @throws the reason of the signal, and nothing else */
  async get(request: PlannedRequest, ids: Ids, wait: CacheWait): Promise<Envelope | undefined> {
    if (!this.#isUsed(request)) return undefined
    try {
      const envelope = await this.#find(request, wait)
      if (envelope !== undefined) this.#emit?.({ type: 'cache.hit', ...ids })
      return envelope
    } catch (error) {
      wait.signal.throwIfAborted()
      this.#rest(ids, error)
      return undefined
    }
  }

  /**
   * Keeps an answer that matches the contract, which is as old as its request: the service may have read it at once. Nobody waits for the
   * store.
   */
  set(request: PlannedRequest, { envelope, text, headers }: RequestResult, ids: Ids, sentAt = this.#ages.now()): void {
    if (!isExpected(request, envelope) || !this.#isUsed(request)) return
    const freshUntil = sentAt + this.#ttlOf(request) - cachedForMs(headers.get('age'))
    this.#keep(request, text, freshUntil).catch((error) => this.#rest(ids, error))
  }

  #ttlOf({ operation }: PlannedRequest): number {
    return this.#ttlMs[operation as CacheableOperation] ?? 0
  }

  #keyOf(request: PlannedRequest): string {
    return `${KEY_PREFIX}${request.operation}:${this.#nameOf(`${this.#baseUrl()}${withoutLimit(request).path}`)}`
  }

  #isUsed(request: PlannedRequest): boolean {
    return this.#ttlOf(request) > 0 && this.#ages.monotonic() >= this.#restsUntil
  }

  #rest(ids: Ids, error: unknown): void {
    this.#restsUntil = this.#ages.monotonic() + REST_MS
    this.#emit?.({ type: 'cache.failed', ...ids, message: messageOf(error) })
  }

  async #find(request: PlannedRequest, { deadlineMs, signal }: CacheWait): Promise<Envelope | undefined> {
    const timeoutMs = Math.min(MAX_WAIT_MS, deadlineMs / 2)
    const read = () => this.#store.get(this.#keyOf(request))
    const entry = parseEntry(await callStore(read, { clock: this.#ages.wall, timeoutMs, signal }))
    if (entry === undefined) return undefined
    const now = this.#ages.now()
    const own = this.#kept.get(this.#ttlOf(request))?.get(this.#keyOf(request)) ?? now
    // Where the wall clock was set back, the entry of this process seems to be of the future.
    const freshUntil = Math.min(this.#ages.fromUnix(entry.expiresAt), own > now ? own : Number.POSITIVE_INFINITY)
    const leftMs = freshUntil - now
    // One that was written while a clock was ahead would be fresh for as long as that clock was wrong.
    if (leftMs <= 0 || leftMs > this.#ttlOf(request)) return undefined
    const envelope = copyEnvelope(request, entry.text)
    if (envelope === undefined || !isExpected(request, envelope)) return undefined
    return firstItems(envelope, withoutLimit(request).limit, entry.limit)
  }

  async #keep(request: PlannedRequest, text: string, freshUntil: number): Promise<void> {
    // In whole milliseconds, which Redis asks for.
    const leftMs = Math.ceil(freshUntil - this.#ages.now())
    if (leftMs <= 0) return
    const ttl = this.#ttlOf(request)
    const key = this.#keyOf(request)
    const expiresAt = this.#ages.toUnix(freshUntil)
    const entry: Entry = { expiresAt, text, limit: withoutLimit(request).limit }
    const expired = this.#takeExpired()
    const sameTtl = this.#kept.get(ttl) ?? new Map<string, number>()
    this.#kept.set(ttl, sameTtl)
    sameTtl.delete(key)
    sameTtl.set(key, freshUntil)
    // Without a time limit, whose timer would outlive the client: nobody waits.
    await this.#store.set(key, JSON.stringify(entry), leftMs)
    for (const old of expired) if (old !== key) await this.#store.delete(old)
  }

  /** Many stores ignore the time to live, and would keep what nobody asks for again. */
  #takeExpired(): string[] {
    const expired: string[] = []
    for (const keys of this.#kept.values()) {
      for (const [key, freshUntil] of keys) {
        const isFresh = freshUntil > this.#ages.now()
        if (isFresh && keys.size <= MAX_ANSWERS) break
        keys.delete(key)
        if (!isFresh) expired.push(key)
      }
    }
    return expired
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
  const entry = parseJson(storedText(stored))
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
