import type { Expected } from './expect.ts'
import type { FaultHandle, FaultOptions } from './fault-options.ts'
import type { FakeFetch } from './fetch.ts'
import type { JournalEntry } from './journal.ts'
import type { Charge, FakeFilter } from './ledger.ts'
import type { FakeServer, ListenOptions } from './listen.ts'
import type { KeyOptions, KeyState } from './options.ts'

/** The service of the documentation, played in memory, with a view of everything that happens in it. */
export interface FakeService extends AsyncDisposable {
  /** A base URL that it answers under: that of the public service, or the one it was given. */
  readonly baseUrl: string
  /** The first of its keys. */
  readonly key: string
  /** The service as a `fetch`: hand it to a client. Rejects with the signal's reason, and fails as a network does. */
  readonly fetch: FakeFetch
  /** The service as an HTTP server, on 127.0.0.1 and a free port unless told otherwise. */
  listen(options?: ListenOptions): Promise<FakeServer>

  /** Every charge, in order: made before the answer is delivered, so a lost answer is in it too. */
  ledger(filter?: FakeFilter): Charge[]
  /** The sum of the charges, in credits. */
  charged(filter?: FakeFilter): number
  /** Every request, in order of arrival. */
  journal(filter?: FakeFilter): JournalEntry[]
  /** The most requests that were in flight at once; with `heavy`, the most heavy ones. */
  peakInFlight(options?: { heavy?: boolean }): number

  /** The keys, with what is left on them. */
  keys(): Record<string, KeyState>
  /** Makes a key known, or gives a known one a new start. */
  addKey(key: string, start: KeyOptions): void
  /** Credits left on a key; on the first one when it is left out. */
  remaining(key?: string): number
  /** Sets what is left on a key. */
  setCredits(key: string, credits: number): void

  /** Makes something go wrong. A request is hit by the first fault in force that matches it, and by no other. */
  fault(options: FaultOptions): FaultHandle
  /** The faults that were added and not removed. */
  faults(): FaultHandle[]
  /** Holds one of the heavy slots, as another tenant would; returns how to free it. Throws when none is free. */
  holdHeavySlot(): () => void

  /** Throws, with the ledger in the message, unless so many credits were charged: in all, or for each operation. */
  expectCredits(expected: Expected): void
  /** Throws, with the journal in the message, unless so many requests came: in all, or for each operation. */
  expectRequests(expected: Expected): void
  /** Throws when a fault did not hit as often as it was meant to; one with a probability or without end, when it never did. */
  expectNoUnusedFaults(): void

  /** The fake's time in unix milliseconds: it drives the data, `Date` and `Retry-After`. */
  now(): number
  /** Moves the time on; delays that end meanwhile end at once. */
  advance(ms: number): void
  /** Forgets charges, requests, faults, held slots and moved time, and gives the keys back what they started with. */
  reset(): void
  /** Closes every server at once, breaks what is in flight, and refuses what comes later. */
  close(): Promise<void>
}
