import { type Clock, monotonicNow } from '../concurrency/clock.ts'

/** An answer as it is sent. Nothing in it belongs to one visitor. */
export interface Answer {
  /** The JSON of the envelope. */
  readonly body: string
  readonly etag: string
  /** Until when it is fresh, by the monotonic clock. */
  readonly freshUntil: number
}

/** Answers that serve every visitor while they are fresh. */
export interface AnswerCache {
  get(key: string): Answer | undefined
  set(key: string, answer: Answer): void
}

const MAX_ANSWERS = 1_000
/** 16 million characters, which are 16 to 32 MB. */
const MAX_LENGTH = 16_000_000

export function createAnswerCache(clock: Clock): AnswerCache {
  /** Oldest first. */
  const answers = new Map<string, Answer>()
  let length = 0
  const isFresh = ({ freshUntil }: Answer) => freshUntil > monotonicNow(clock)

  function remove(key: string): void {
    length -= answers.get(key)?.body.length ?? 0
    answers.delete(key)
  }

  return {
    get(key) {
      const answer = answers.get(key)
      if (answer === undefined || isFresh(answer)) return answer
      remove(key)
      return undefined
    },
    set(key, answer) {
      if (!isFresh(answer) || answer.body.length > MAX_LENGTH) return
      remove(key)
      answers.set(key, answer)
      length += answer.body.length
      for (const oldest of answers.keys()) {
        if (answers.size <= MAX_ANSWERS && length <= MAX_LENGTH) return
        remove(oldest)
      }
    },
  }
}
