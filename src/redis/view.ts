import { monotonicNow, systemClock } from '../concurrency/clock.ts'

/** What the scripts that move credits answer. */
export interface LedgerAnswer {
  readonly verdict: string
  /** Unix milliseconds by the clock of the server. */
  readonly now: number
  readonly epoch: string
  /** The window of now. */
  readonly window: string
  /** How long the window still lasts, milliseconds; Infinity without windows. */
  readonly msLeft: number
}

/** The state of the fleet as this member last saw it. */
export interface View {
  readonly totals: { readonly spent: number; readonly reserved: number; readonly uncertain: number }
  readonly resetsAt: number | undefined
  /** How old the totals are, milliseconds; Infinity when nothing was seen. */
  readonly ageMs: number
  /** Whether the window of the totals is over. */
  readonly isWindowOver: boolean
  /** How old the state of the breakers is, milliseconds. */
  readonly breakersAgeMs: number
  /** Whether requests of a scope have to ask before they are sent. */
  isTripped(scope: string): boolean
  /** How long the cool-down of a scope still lasts, milliseconds. */
  cooldownMs(scope: string): number
  /** Reads an answer to a command that was sent at a moment of the monotonic clock. */
  readLedger(answer: readonly string[], sentAt: number): LedgerAnswer
  readBreakers(now: number, breakers: readonly string[], sentAt: number): void
}

interface Moment {
  /** Unix milliseconds by the clock of the server. */
  readonly now: number
  /** When the command was sent, on the monotonic clock. */
  readonly sentAt: number
}

const OLDEST: Moment = { now: Number.NEGATIVE_INFINITY, sentAt: Number.NEGATIVE_INFINITY }

/** The time of the server alone does not decide: its clock may be set back, or another server may take over. */
const isOlder = (one: Moment, other: Moment) => one.now < other.now && one.sentAt < other.sentAt

const elapsed = () => monotonicNow(systemClock)

export function createView(): View {
  let totals = { spent: 0, reserved: 0, uncertain: 0 }
  /** The newest answers, so that an older one that is late changes nothing. */
  let newestTotals = OLDEST
  let newestBreakers = OLDEST
  let totalsAt = Number.NEGATIVE_INFINITY
  let breakersAt = Number.NEGATIVE_INFINITY
  let windowEndsAt = Number.POSITIVE_INFINITY
  let resetsAt: number | undefined
  /** When each breaker that is not closed becomes half open, on the monotonic clock. */
  let breakers = new Map<string, number>()

  const view: View = {
    get totals() {
      return totals
    },
    get resetsAt() {
      return resetsAt
    },
    get ageMs() {
      return elapsed() - totalsAt
    },
    get isWindowOver() {
      return elapsed() >= windowEndsAt
    },
    get breakersAgeMs() {
      return elapsed() - breakersAt
    },
    isTripped: (scope) => breakers.has(scope),
    cooldownMs: (scope) => Math.max(0, (breakers.get(scope) ?? 0) - elapsed()),
    readLedger(answer, sentAt) {
      const [verdict = '', time, epoch = '', window = '', left, spent, reserved, uncertain, ...rest] = answer
      const now = Number(time)
      const msLeft = readMsLeft(left)
      if (!isOlder({ now, sentAt }, newestTotals) && epoch !== '') {
        newestTotals = { now, sentAt }
        totalsAt = elapsed()
        totals = { spent: Number(spent), reserved: Number(reserved), uncertain: Number(uncertain) }
        resetsAt = resetOf(now, msLeft)
        windowEndsAt = sentAt + msLeft
      }
      if (epoch !== '') view.readBreakers(now, rest, sentAt)
      return { verdict, now, epoch, window, msLeft }
    },
    readBreakers(now, parts, sentAt) {
      if (isOlder({ now, sentAt }, newestBreakers)) return
      newestBreakers = { now, sentAt }
      breakersAt = elapsed()
      breakers = new Map(parseBreakers(parts).map(({ scope, until }) => [scope, breakersAt + until - now]))
    },
  }
  return view
}

/** How long the window of now still lasts, milliseconds, as the scripts answer it. */
export function readMsLeft(answer: string | undefined): number {
  return answer === undefined || answer === '' ? Number.POSITIVE_INFINITY : Number(answer)
}

/** When the window of now ends, by the clock of the server; undefined without windows. */
export function resetOf(now: number, msLeft: number): number | undefined {
  return msLeft === Number.POSITIVE_INFINITY ? undefined : now + msLeft
}

/** Pairs of a scope and `until:limit`. */
export function parseBreakers(parts: readonly string[]): { scope: string; until: number }[] {
  const scopes = parts.filter((_, index) => index % 2 === 0)
  return scopes.map((scope, index) => ({ scope, until: Number(parts[2 * index + 1]?.split(':')[0]) }))
}
