import { monotonicNow, startTimer, systemClock } from '../concurrency/clock.ts'
import type { Command } from './command.ts'
import { RENEW } from './scripts/clock.lua.ts'

/** Something that lasts for a lease: a reservation, a slot or a probe. */
export interface Lease {
  readonly id: string
  /** The sorted sets that it stands in. It lasts as long as the first one has it: the others may be deleted before. */
  readonly keys: readonly string[]
  /** When the lease ends at the latest, on the monotonic clock. */
  endsAt: number
}

/** Renews leases while their requests are under way, all of them in one command. */
export interface Renewals {
  add(lease: Lease): void
  delete(lease: Lease): void
  stop(): void
}

/** A lease is renewed often enough to survive one renewal that fails. */
const RENEWALS_PER_LEASE = 3
/** Bounds how long one script takes. */
const MAX_PER_COMMAND = 500

export function createRenewals(command: Command, leaseMs: number): Renewals {
  const leases = new Set<Lease>()
  let stopTimer: (() => void) | undefined

  async function renew(some: readonly Lease[]): Promise<void> {
    const keys = [...new Set(some.flatMap((lease) => lease.keys))]
    const entries = some.flatMap((lease) => lease.keys.map((key) => ({ lease, key })))
    const args = entries.flatMap(({ lease, key }) => [keys.indexOf(key) + 1, lease.id])
    const sentAt = monotonicNow(systemClock)
    const held = await command(RENEW, keys, [leaseMs, ...args])
    for (const [index, { lease, key }] of entries.entries()) {
      if (key !== lease.keys[0]) continue
      if (held[index] === '1') lease.endsAt = sentAt + leaseMs
      else leases.delete(lease)
    }
  }

  function renewAll(): void {
    stopTimer = undefined
    const all = [...leases]
    for (let first = 0; first < all.length; first += MAX_PER_COMMAND) {
      // When a renewal fails, the next renewal retries it, or the lease ends.
      renew(all.slice(first, first + MAX_PER_COMMAND)).catch(() => {})
    }
    arm()
  }

  function arm(): void {
    if (leases.size > 0) stopTimer ??= startTimer(systemClock, leaseMs / RENEWALS_PER_LEASE, renewAll)
  }

  function stopIfIdle(): void {
    if (leases.size > 0) return
    stopTimer?.()
    stopTimer = undefined
  }

  return {
    add(lease) {
      leases.add(lease)
      arm()
    },
    delete(lease) {
      leases.delete(lease)
      stopIfIdle()
    },
    stop() {
      leases.clear()
      stopIfIdle()
    },
  }
}
