/**
 * A fake of the whole service for tests: in memory, behind `fetch`, or as an HTTP server. It spends no credits.
 *
 * @module etn-market/fake
 */

export { fakeWallets } from './data/balances.ts'
export type { FakeCandle } from './data/candles.ts'
export { fakeTokens } from './data/names.ts'
export type { FakeWorld, SetPriceOptions, WorldTradeOptions } from './data/world.ts'
export type {
  WorldFarmOptions,
  WorldLockOptions,
  WorldNftAssetOptions,
  WorldNftCollectionOptions,
  WorldNftStatsOptions,
  WorldNftTraitOptions,
  WorldOptions,
  WorldPoolOptions,
  WorldPresaleOptions,
  WorldTokenOptions,
} from './data/world-options.ts'
export { type FakeFront, type FakeFrontAnswer, fakeFronts } from './faults/effects.ts'
export type {
  FakeRequest,
  FaultEffects,
  FaultHandle,
  FaultMatch,
  FaultOptions,
  ScriptOptions,
  ScriptStep,
} from './faults/fault-options.ts'
export { type FakeServiceOptions, fakeKey } from './options.ts'
export { RecordError, type RecordOptions, record } from './record.ts'
export type { KeyOptions, KeyState } from './rules/accounts.ts'
export { FakeUsageError } from './rules/check.ts'
export type { FakeClock } from './rules/clock.ts'
export type { Expected } from './rules/expect.ts'
export type { Charge, FakeFilter, JournalEntry, JournalOptions } from './rules/journal.ts'
export type { RateLimitOptions } from './rules/rate-limit.ts'
export type { CorsMode } from './rules/reply.ts'
export {
  type Bucket,
  type FakeOperation,
  fakeOperations,
  fakeRoutes,
  type ListOperation,
  type QueryName,
  type Route,
} from './rules/routes.ts'
export type { StubAnswer, StubCall, StubData, StubOptions } from './rules/stubs.ts'
export type { Tape, TapeEntry } from './rules/tape.ts'
export { createFakeService } from './service.ts'
export type {
  FakeFetch,
  FakeServer,
  FakeService,
  FakeSnapshot,
  ListenOptions,
  ResetOptions,
  ResetPart,
} from './types.ts'
export { type TestContext, useFakeService } from './use-fake-service.ts'
