import type { Client } from 'etn-market'

/** What the suite needs from a stand-in for the service. */
export interface Service {
  /** A new client for one test. */
  connect(): Client
  /** The next request gets a 503 `server_busy`. */
  failBusy(): void
  /** The next request gets a 402: the key has too few credits. */
  exhaustCredits(): void
  /** The response to the next request is lost. */
  loseResponse(): void
}

export const KEY = 'esk_test_bench'
export const BOLT = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'
export const CORE = '0x309B916b3A90cb3E071697Ea9680e9217A30066f'

/** The numbers from 1 to `count`: so many tests of one kind. */
export const times = (count: number) => Array.from({ length: count }, (_, i) => i + 1)
