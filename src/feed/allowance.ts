import { leadFor } from './lead.ts'
import { creditsFor } from './route.ts'

/**
 * What could have been spent by now, had each watch made a call of its own at its own interval: a purse that each watch
 * fills as fast as its calls would empty it, up to one call for each.
 */
export interface Allowance {
  /** A watch begins, with its first call. Returns what is to be called when it ends. */
  join(addresses: number, everyMs: number, now: number): (now: number) => void
  covers(credits: number, now: number): boolean
  /** Takes credits out, or puts them in when there are fewer than none. */
  spend(credits: number, now: number): void
  /** Calls have to go out so long before a price is too old. */
  tune(leadMs: number, now: number): void
  /** A copy to play with. */
  fork(): Pick<Allowance, 'covers' | 'spend'>
}

interface Purse {
  credits: number
  at: number
  /** One call for each watch. */
  full: number
  /** Credits a millisecond. */
  rate: number
}

/** Sums of fractions drift. */
const CRUMB = 1e-3

export function createAllowance(now: number): Allowance {
  const purse = { credits: 0, at: now, full: 0, rate: 0 }
  const watches = new Set<{ cost: number; everyMs: number }>()
  let leadMs = 0
  const periodOf = (everyMs: number) => everyMs - leadFor(everyMs, leadMs)
  const weigh = () => {
    purse.full = 0
    purse.rate = 0
    for (const { cost, everyMs } of watches) change(cost, cost / periodOf(everyMs))
  }
  const change = (cost: number, rate: number) => {
    purse.full += cost
    purse.rate += rate
  }

  return {
    join(addresses, everyMs, begunAt) {
      const cost = creditsFor(addresses)
      const watch = { cost, everyMs }
      refill(purse, begunAt)
      watches.add(watch)
      change(cost, cost / periodOf(everyMs))
      take(purse, -cost)
      return (endedAt) => {
        refill(purse, endedAt)
        watches.delete(watch)
        const rounds = (endedAt - begunAt) / periodOf(everyMs)
        if (watches.size === 0) weigh()
        else change(-cost, -cost / periodOf(everyMs))
        // It put in a part of a call that it does not come to make.
        take(purse, cost * (1 + rounds - Math.ceil(rounds)))
      }
    },
    tune(ms, at) {
      refill(purse, at)
      leadMs = ms
      weigh()
    },
    ...drawFrom(purse),
    fork: () => drawFrom({ ...purse }),
  }
}

function drawFrom(purse: Purse): Pick<Allowance, 'covers' | 'spend'> {
  return {
    covers(credits, now) {
      refill(purse, now)
      return credits <= purse.credits + CRUMB
    },
    spend(credits, now) {
      refill(purse, now)
      take(purse, credits)
    },
  }
}

function refill(purse: Purse, now: number): void {
  take(purse, -purse.rate * Math.max(0, now - purse.at))
  purse.at = now
}

/** Never more in debt than by one call for each watch, which is what the plain way takes to fall into step, and one under way. */
function take(purse: Purse, credits: number): void {
  purse.credits = Math.min(purse.full, Math.max(-2 * purse.full, purse.credits - credits))
}
