import type { Client } from 'etn-market'

/** What a suite needs of whatever plays the service. */
export interface Service {
  /** A client of its own for one test. */
  connect(): Client
  /** The next request is refused: the service is busy. */
  beBusy(): void
  /** The next request is refused: the key has too few credits. */
  runOut(): void
  /** The next answer gets lost. */
  loseAnswer(): void
}

export const KEY = 'esk_test_bench'
export const BOLT = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'
export const CORE = '0x309B916b3A90cb3E071697Ea9680e9217A30066f'
