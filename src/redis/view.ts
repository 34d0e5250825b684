import type { AgeClock } from '../concurrency/clock.ts'
import type { WindowTotals } from '../credits/windows.ts'
import type { FleetCooldown } from '../fleet/fleet.ts'

export type LedgerAnswer = Readonly<ReturnType<View['readLedger']>>

interface Moment {
  /** Unix milliseconds by the clock of the server. */
  readonly now: number
  /** When the command was sent, by the age clock. */
  readonly sentAt: number
}

const OLDEST: Moment = { now: Number.NEGATIVE_INFINITY, sentAt: Number.NEGATIVE_INFINITY }

/** The time of the server alone does not decide: its clock may be set back, or another server may take over. */
const isOlder = (one: Moment, other: Moment) => one.now < other.now && one.sentAt < other.sentAt

/** The state of the fleet as this member last saw it. */
export class View {
  readonly #ages: AgeClock
  totals: WindowTotals = { spent: 0, reserved: 0, uncertain: 0 }
  resetsAt: number | undefined
  /** The newest answer, so that an older one that is late changes nothing. */
  #newestBreakers = OLDEST
  #newestSeen = ''
  /** The newest reservation of the epoch. */
  #reserved = { revision: 0, text: '' }
  #totalsAt = Number.NEGATIVE_INFINITY
  #breakersAt = Number.NEGATIVE_INFINITY
  #windowEndsAt = Number.POSITIVE_INFINITY
  /** When each breaker that is not closed becomes half open, on the monotonic clock. */
  #breakers = new Map<string, number>()

  constructor(ages: AgeClock) {
    this.#ages = ages
  }

  /** How old the totals are, milliseconds; Infinity when nothing was seen. */
  get ageMs(): number {
    return this.#ages.now() - this.#totalsAt
  }

  get isWindowOver(): boolean {
    return this.#ages.now() >= this.#windowEndsAt
  }

  get breakersAgeMs(): number {
    return this.#ages.now() - this.#breakersAt
  }

  /** Whether requests of a scope have to ask before they are sent. */
  isTripped(scope: string): boolean {
    return this.#breakers.has(scope)
  }

  cooldownMs(scope: string): number {
    return Math.max(0, (this.#breakers.get(scope) ?? 0) - this.#ages.monotonic())
  }

  /** Reads an answer to a command that was sent at a moment of the age clock. */
  readLedger(answer: readonly string[], sentAt: number) {
    const [verdict = '', time, seen = '', window = '', left, spent, reserved, uncertain, ...breakers] = answer
    const now = Number(time)
    /** How long the window still lasts, milliseconds; it ends by the clock of the server. */
    const msLeft = left ? Number(left) : Number.POSITIVE_INFINITY
    const resetsAt = left ? now + msLeft : undefined
    const totals = { spent: Number(spent), reserved: Number(reserved), uncertain: Number(uncertain) }
    if (seen !== '' && this.remember(seen)) {
      Object.assign(this, { totals, resetsAt })
      this.#totalsAt = this.#ages.now()
      this.#windowEndsAt = sentAt + msLeft
    }
    if (seen !== '') this.readBreakers(now, breakers, sentAt)
    return { verdict, window, msLeft, resetsAt, totals, cooldowns: parseBreakers(breakers) }
  }

  /** What the newest state has: commands state it, so that Redis sees whether it has forgotten a part of that. */
  get seen(): string {
    return this.#newestSeen + this.#reserved.text
  }

  /** Whether nothing newer was seen. The epoch and the revision of a state tell, whatever clocks do and whichever server answers. */
  remember(seen: string): boolean {
    const [epoch = '', revision = '', window, spent, held, ...reserved] = seen.split(' ')
    const [newestEpoch = '', newestRevision = ''] = this.#newestSeen.split(' ')
    const isNewEpoch = Number(epoch) > Number(newestEpoch)
    if (isNewEpoch) this.#reserved = { revision: 0, text: '' }
    else if (Number(epoch) < Number(newestEpoch)) return false
    if (reserved.length > 0 && Number(revision) > this.#reserved.revision)
      this.#reserved = { revision: Number(revision), text: ` ${reserved.join(' ')}` }
    if (!isNewEpoch && Number(revision) < Number(newestRevision)) return false
    this.#newestSeen = [epoch, revision, window, spent, held].join(' ')
    return true
  }

  readBreakers(now: number, parts: readonly string[], sentAt: number): void {
    if (isOlder({ now, sentAt }, this.#newestBreakers)) return
    this.#newestBreakers = { now, sentAt }
    this.#breakersAt = this.#ages.now()
    const elapsed = this.#ages.monotonic()
    this.#breakers = new Map(parseBreakers(parts).map(({ scope, until }) => [scope, elapsed + until - now]))
  }
}

/** Pairs of a scope and `until:limit`. */
function parseBreakers(parts: readonly string[]): FleetCooldown[] {
  const scopes = parts.filter((_, index) => index % 2 === 0)
  return scopes.map((scope, index) => ({ scope, until: Number(parts[2 * index + 1]?.split(':')[0]) }))
}
