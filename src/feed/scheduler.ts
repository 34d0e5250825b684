import { type Clock, startTimer } from '../clock.ts'
import type { Allowance } from './allowance.ts'
import { type Book, companionsOf, type Quote } from './book.ts'
import { choose } from './choose.ts'
import type { Engine } from './engine.ts'
import type { FeedEvent } from './events.ts'
import type { Pace } from './pace.ts'
import { creditsFor } from './route.ts'
import type { Trouble } from './trouble.ts'

export interface SchedulerParts {
  readonly clock: Clock
  readonly book: Book
  readonly pace: Pace
  readonly allowance: Allowance
  readonly trouble: Trouble
  readonly engine: Engine
  readonly windowMs: number
  readonly isPaused: () => boolean
  /** Moves every deadline to the present stretch. */
  tune(): void
  emit(event: FeedEvent): void
}

/** Decides when a call is made, with one timer for all. */
export interface Scheduler {
  /** A look-up wants an address: with whatever else is asked for in the same window. */
  ask(quote: Quote): void
  /** Nobody looks an address up any longer. */
  drop(quote: Quote): void
  /** To be called when deadlines may have changed. */
  wake(): void
  /** No further call; resolves when those under way are over. */
  stop(): Promise<void>
}

const NEVER = Number.POSITIVE_INFINITY

export function createScheduler(parts: SchedulerParts): Scheduler {
  const { clock, book, pace, allowance, trouble, engine, windowMs, isPaused, emit } = parts
  const asked = new Set<Quote>()
  const underWay = new Set<Promise<void>>()
  let askedUntil = NEVER
  let armed = { at: NEVER, stop: () => {} }
  let stopped = false

  const dueAt = () => Math.min(asked.size > 0 ? askedUntil : NEVER, book.due.peek()?.dueAt ?? NEVER)

  function disarm(): void {
    armed.stop()
    armed = { at: NEVER, stop: () => {} }
  }

  function arm(): void {
    const next = stopped || isPaused() ? NEVER : dueAt()
    // A new day of the budget may allow what the old one put off.
    const at = next === NEVER ? NEVER : Math.max(Math.min(next, pace.renewsAt), trouble.until)
    if (at === NEVER) {
      disarm()
      return
    }
    // A timer that fires too early looks again; that is cheaper than to set it anew each time.
    if (armed.at <= at) return
    disarm()
    const mine = { at, stop: () => {} }
    armed = mine
    const ring = () => {
      if (armed !== mine) return
      armed = { at: NEVER, stop: () => {} }
      look()
    }
    const waitMs = at - clock.now()
    if (waitMs <= 0 && windowMs === 0) queueMicrotask(ring)
    else mine.stop = startTimer(clock, Math.max(0, waitMs), ring)
  }

  function adapt(): void {
    if (!pace.adapt(book.demand.creditsPerDay())) return
    parts.tune()
    const { stretch } = pace
    emit({ type: 'feed.stretched', stretch, creditsPerDay: book.demand.creditsPerDay() / stretch })
  }

  function look(): void {
    if (stopped || isPaused()) return
    adapt()
    const now = clock.now()
    if (now >= trouble.until && now >= dueAt()) go(now)
    arm()
  }

  function go(now: number): void {
    const looked = new Set(asked)
    asked.clear()
    for (const quote of looked) book.due.delete(quote)
    const { due, riders } = choose(
      {
        queue: book.due,
        tempo: book.demand.tempo(pace.stretch),
        allowance,
        companionsOf: (quote) => companionsOf(quote).filter((other) => !looked.has(other)),
      },
      looked.size,
      now,
    )
    // Who looks up pays for it, and what the watches pay for is what comes on top.
    const forWatches = (credits: number) => Math.max(0, credits - creditsFor(looked.size))
    const planned = forWatches(creditsFor(looked.size + due.length + riders.length))
    allowance.spend(planned, now)
    const call = engine.fetch({ due: [...looked, ...due], riders }).then((credits) => {
      allowance.spend(forWatches(credits) - planned, clock.now())
      underWay.delete(call)
      adapt()
      arm()
    })
    underWay.add(call)
  }

  return {
    ask(quote) {
      if (quote.flying || asked.has(quote)) return
      if (asked.size === 0) askedUntil = clock.now() + windowMs
      asked.add(quote)
      arm()
    },
    drop(quote) {
      if (asked.delete(quote)) arm()
    },
    wake: arm,
    async stop() {
      stopped = true
      disarm()
      await Promise.all(underWay)
    },
  }
}
