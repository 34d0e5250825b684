export type { Expected } from './expect.ts'
export type { FakeRequest, FaultEffects, FaultHandle, FaultMatch, FaultOptions } from './fault-options.ts'
export type { FakeFetch } from './fetch.ts'
export type { JournalEntry } from './journal.ts'
export type { Charge, FakeFilter } from './ledger.ts'
export type { FakeServer, ListenOptions } from './listen.ts'
export {
  type FakeClock,
  type FakeServiceOptions,
  fakeKey,
  type KeyOptions,
  type KeyState,
  type RateLimitOptions,
} from './options.ts'
export { type FakeOperation, fakeOperations, fakeRoutes, type Route } from './routes.ts'
export { createFakeService } from './service.ts'
export type { FakeService } from './types.ts'
export { fakeWallets } from './world/balances.ts'
export { fakeTokens } from './world/names.ts'
