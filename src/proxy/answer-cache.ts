import type { AgeClock } from '../concurrency/clock.ts'
import type { OperationId } from '../generated/operations.ts'

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
 * Answers that serve every visitor while they are fresh. Where they need too much memory, the operation that takes most of it loses its oldest
 * answer: thousands of different candles do not displace the one list of tokens.
 */
export class AnswerCache {
  readonly #ages: AgeClock
  /** The answers of each operation, oldest first. */
  readonly #operations = new Map<OperationId, { readonly answers: Map<string, Answer>; size: number }>()
  #size = 0

  constructor(ages: AgeClock) {
    this.#ages = ages
  }

  get(operation: OperationId, key: string): Answer | undefined {
    const answer = this.#operations.get(operation)?.answers.get(key)
    if (answer === undefined || this.#isFresh(answer)) return answer
    this.#remove(operation, key)
    return undefined
  }

  set(operation: OperationId, key: string, answer: Answer): void {
    if (!this.#isFresh(answer) || sizeOf(answer) > MAX_SIZE) return
    this.#remove(operation, key)
    const own = this.#operations.get(operation) ?? { answers: new Map(), size: 0 }
    this.#operations.set(operation, own)
    own.answers.set(key, answer)
    own.size += sizeOf(answer)
    this.#size += sizeOf(answer)
    while (this.#size > MAX_SIZE) {
      const [largest] = [...this.#operations].sort(([, one], [, other]) => other.size - one.size)
      const [oldest] = largest?.[1].answers.keys() ?? []
      if (largest && oldest !== undefined) this.#remove(largest[0], oldest)
    }
  }

  #isFresh({ freshUntil }: Answer): boolean {
    return freshUntil > this.#ages.now()
  }

  #remove(operation: OperationId, key: string): void {
    const own = this.#operations.get(operation)
    const answer = own?.answers.get(key)
    if (own === undefined || answer === undefined) return
    own.answers.delete(key)
    own.size -= sizeOf(answer)
    this.#size -= sizeOf(answer)
  }
}

const sizeOf = ({ body }: Answer) => body.length + OVERHEAD
