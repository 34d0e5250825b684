import type { AgeClock } from '../concurrency/clock.ts'

/** An answer as it is sent. Nothing in it belongs to one visitor. */
export interface Answer {
  /** The JSON of the envelope, in bytes. */
  readonly body: Uint8Array<ArrayBuffer>
  readonly etag: string
  /** From when it is, by the age clock: when it was asked for, or earlier, where a cache on the way had kept it. */
  readonly at: number
  /** Until when it is fresh, by the age clock. */
  readonly freshUntil: number
}

/** In bytes. */
const MAX_SIZE = 16_000_000
/** What an answer takes beside its body, about. */
const OVERHEAD = 1_000

/**
 * Answers that serve every visitor while they are fresh. Where they need too much memory, those are dropped that were asked for longest ago (LRU):
 * thousands of different candles do not displace the one list of tokens that all pages show.
 */
export class AnswerCache {
  readonly #ages: AgeClock
  /** By the key of the call; the one that was asked for longest ago comes first. */
  readonly #answers = new Map<string, Answer>()
  #size = 0

  constructor(ages: AgeClock) {
    this.#ages = ages
  }

  get(key: string): Answer | undefined {
    const answer = this.#take(key)
    if (answer === undefined || !this.#isFresh(answer)) return undefined
    this.#put(key, answer)
    return answer
  }

  set(key: string, answer: Answer): void {
    if (!this.#isFresh(answer) || answer.body.length > MAX_SIZE) return
    this.#take(key)
    this.#put(key, answer)
    for (const oldest of this.#answers.keys()) {
      if (this.#size <= MAX_SIZE) return
      this.#take(oldest)
    }
  }

  #isFresh({ freshUntil }: Answer): boolean {
    return freshUntil > this.#ages.now()
  }

  #put(key: string, answer: Answer): void {
    this.#answers.set(key, answer)
    this.#size += answer.body.length + OVERHEAD
  }

  #take(key: string): Answer | undefined {
    const answer = this.#answers.get(key)
    if (answer) this.#size -= answer.body.length + OVERHEAD
    this.#answers.delete(key)
    return answer
  }
}
