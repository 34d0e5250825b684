import { LightAbortController } from '../concurrency/cancellation.ts'
import { type AgeClock, sleep, startTimer, systemClock, withTimeout } from '../concurrency/clock.ts'
import { exponentialBackoff } from '../utils/time-units.ts'
import type { Command } from './command.ts'
import { RENEW } from './scripts/clock.lua.ts'

const MIN_PAUSE_MS = 50
const MAX_PAUSE_MS = 1_000

/** Commands that no call waits for. */
export class Background {
  readonly #live = new Set<Promise<void>>()
  readonly #stopping = new LightAbortController()
  #ended = 0

  /** Repeats a command until it succeeds, `untilMs` on the monotonic clock has passed, or the fleet is closed. The first time is now. */
  repeat(run: () => Promise<unknown>, untilMs: number): void {
    const done = this.#work(run, untilMs)
      .catch(() => {})
      .finally(() => {
        this.#live.delete(done)
        this.#ended++
      })
    this.#live.add(done)
  }

  /** Resolves when nothing is left to do, or when no command has succeeded for `timeoutMs`. */
  async flush(timeoutMs: number): Promise<void> {
    let before = Number.NaN
    while (this.#live.size > 0 && this.#ended !== before) {
      before = this.#ended
      await withTimeout(Promise.all(this.#live), timeoutMs, systemClock, () => {})
    }
  }

  stop(): void {
    this.#stopping.abort(new Error('The fleet is closed.'))
  }

  async #work(run: () => Promise<unknown>, untilMs: number): Promise<void> {
    for (let failures = 0; ; failures++) {
      try {
        await run()
        return
      } catch {
        const pauseMs = exponentialBackoff(failures, MIN_PAUSE_MS, MAX_PAUSE_MS)
        if (systemClock.monotonic() + pauseMs > untilMs) return
        await sleep(systemClock, pauseMs, this.#stopping)
      }
    }
  }
}

/** Something that lasts for a lease: a reservation, a slot or a probe. */
export interface Lease {
  readonly id: string
  /** The sorted sets that it stands in. It lasts as long as the first one has it: the others may be deleted before. */
  readonly keys: readonly string[]
  /** When the lease ends at the latest, by the age clock. */
  endsAt: number
}

/** A lease is renewed often enough to survive one renewal that fails. */
const RENEWALS_PER_LEASE = 3
/** Bounds how long one script takes. */
const MAX_PER_COMMAND = 500

/** Renews leases while their requests are under way, all of them in one command. */
export class Renewals {
  readonly #command: Command
  readonly #leaseMs: number
  readonly #ages: AgeClock
  readonly #leases = new Set<Lease>()
  #stopTimer: (() => void) | undefined

  constructor(command: Command, leaseMs: number, ages: AgeClock) {
    this.#command = command
    this.#ages = ages
    this.#leaseMs = leaseMs
  }

  add(lease: Lease): void {
    this.#leases.add(lease)
    this.#arm()
  }

  delete(lease: Lease): void {
    this.#leases.delete(lease)
    if (this.#leases.size === 0) this.stop()
  }

  stop(): void {
    this.#leases.clear()
    this.#stopTimer?.()
    this.#stopTimer = undefined
  }

  #arm(): void {
    this.#stopTimer ??= startTimer(systemClock, this.#leaseMs / RENEWALS_PER_LEASE, () => {
      this.#stopTimer = undefined
      const all = [...this.#leases]
      for (let first = 0; first < all.length; first += MAX_PER_COMMAND) {
        // When a renewal fails, the next renewal retries it, or the lease ends.
        this.#renew(all.slice(first, first + MAX_PER_COMMAND)).catch(() => {})
      }
      this.#arm()
    })
  }

  async #renew(some: readonly Lease[]): Promise<void> {
    const keys = [...new Set(some.flatMap((lease) => lease.keys))]
    const entries = some.flatMap((lease) => lease.keys.map((key) => ({ lease, key })))
    const args = entries.flatMap(({ lease, key }) => [keys.indexOf(key) + 1, lease.id])
    const sentAt = this.#ages.now()
    const held = await this.#command(RENEW, keys, [this.#leaseMs, ...args])
    for (const [index, { lease, key }] of entries.entries()) {
      if (key !== lease.keys[0]) continue
      if (held[index] === '1') lease.endsAt = sentAt + this.#leaseMs
      else this.delete(lease)
    }
  }
}
