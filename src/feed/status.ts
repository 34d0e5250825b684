import type { Clock } from '../clock.ts'
import type { Book } from './book.ts'
import type { Life } from './life.ts'
import type { Pace } from './pace.ts'
import type { Trouble } from './trouble.ts'
import type { FeedStatus } from './types.ts'
import type { Watches } from './watches.ts'

export interface StatusParts {
  readonly clock: Clock
  readonly book: Book
  readonly pace: Pace
  readonly trouble: Trouble
  readonly watches: Watches
  readonly life: Life
  isPaused(): boolean
}

export function createStatus(parts: StatusParts): () => FeedStatus {
  const { book, pace, trouble, watches } = parts
  return () => {
    const state = stateOf(parts)
    const { spent, uncertain } = pace.budget
    const creditsPerDay = book.demand.creditsPerDay() / pace.stretch
    return {
      state,
      until: state === 'waiting' || state === 'stopped' ? trouble.until : undefined,
      stretch: pace.stretch,
      creditsPerDay,
      spent: spent + uncertain,
      projected: Math.min(pace.budget.limit, pace.projected(creditsPerDay)),
      watches: watches.size,
      addresses: book.demand.addresses().length,
    }
  }
}

function stateOf({ life, trouble, watches, isPaused }: StatusParts): FeedStatus['state'] {
  if (life.signal.aborted) return 'closed'
  if (isPaused()) return 'paused'
  if (trouble.state !== 'none') return trouble.state
  return watches.size > 0 ? 'running' : 'idle'
}
