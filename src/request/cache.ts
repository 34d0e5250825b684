import { type Cancel, orAborted } from '../abort.ts'
import type { Clock } from '../clock.ts'
import type { Emit } from '../events.ts'
import type { OperationId } from '../generated/operations.ts'
import type { CacheOptions, CacheStore } from '../options.ts'
import type { Envelope, Part } from './types.ts'

/** Whole answers, kept for as long as the options say. A store that fails costs a request, never an answer. */
export interface Cache {
  lookUp(part: Part, signal: Cancel): Promise<Envelope | undefined>
  keep(part: Part, envelope: Envelope): void
}

const MOST_ANSWERS = 1_000

export function createCache(options: CacheOptions, baseUrl: string, clock: Clock, emit: Emit): Cache {
  const store = options.store ?? createMemoryStore(clock)
  const ttlOf = (operation: OperationId) => (operation === 'account.me' ? 0 : (options.ttlMs[operation] ?? 0))
  const keyOf = (part: Part) => `etn-market:1:${baseUrl}${part.key()}`
  const failed = (operation: OperationId, error: unknown) =>
    emit({ type: 'cache.failed', operation, message: error instanceof Error ? error.message : String(error) })

  return {
    async lookUp(part, signal) {
      const { operation } = part
      if (ttlOf(operation) <= 0) return undefined
      try {
        const envelope = read(await orAborted(Promise.resolve(store.get(keyOf(part))), signal))
        if (envelope !== undefined) emit({ type: 'cache.hit', operation })
        return envelope
      } catch (error) {
        if (signal.aborted) throw signal.reason
        failed(operation, error)
        return undefined
      }
    },
    keep(part, envelope) {
      const { operation } = part
      const ttl = ttlOf(operation)
      if (ttl <= 0) return
      // Not waited for: what was paid for is handed over whether or not the store takes it.
      const write = async () => store.set(keyOf(part), JSON.stringify(envelope), ttl)
      write().catch((error) => failed(operation, error))
    },
  }
}

/** What a store holds may be from anybody: only an envelope counts. */
function read(stored: unknown): Envelope | undefined {
  if (typeof stored !== 'string') return undefined
  const envelope: unknown = JSON.parse(stored)
  return typeof envelope === 'object' && envelope !== null && Object.hasOwn(envelope, 'data')
    ? (envelope as Envelope)
    : undefined
}

/** Keeps texts, so that no caller can change what another one gets; the oldest go first. */
function createMemoryStore(clock: Clock): CacheStore {
  const answers = new Map<string, { value: string; until: number }>()
  return {
    get(key) {
      const answer = answers.get(key)
      if (answer === undefined || clock.now() < answer.until) return answer?.value
      answers.delete(key)
      return undefined
    },
    set(key, value, ttl) {
      answers.delete(key)
      const [oldest] = answers.keys()
      if (answers.size >= MOST_ANSWERS && oldest !== undefined) answers.delete(oldest)
      answers.set(key, { value, until: clock.now() + ttl })
    },
    delete: (key) => answers.delete(key),
  }
}
