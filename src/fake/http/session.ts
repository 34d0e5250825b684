import { createFaults, type Faults } from '../faults/faults.ts'
import type { Settings } from '../options.ts'
import { createAccounts } from '../rules/accounts.ts'
import { createHeavySlots, type ServiceState } from '../rules/execute.ts'
import { createJournal, type Journal, maskKey } from '../rules/journal.ts'
import { createLedger, type FakeFilter } from '../rules/ledger.ts'
import { createRateLimit } from '../rules/rate-limit.ts'
import { createStubs, type Stubs } from '../rules/stubs.ts'

/** Everything that `reset` replaces. A request stays with the session in which it arrived. */
export interface Session extends ServiceState {
  settings: Settings
  journal: Journal
  faults: Faults
  stubs: Stubs
}

export function createSession(settings: Settings, find: ServiceState['find'], now: () => number): Session {
  const accounts = createAccounts(settings.keys)
  return {
    settings,
    now,
    find,
    accounts,
    ledger: createLedger(settings.journal.max),
    journal: createJournal(settings.journal.max),
    faults: createFaults(settings.seed, (key) => (accounts.find(key) ? key : maskKey(key))),
    stubs: createStubs(),
    heavySlots: createHeavySlots(settings.heavyConcurrency),
    heavyRetryAfterSeconds: settings.heavyRetryAfterSeconds,
    rateLimit: createRateLimit(settings.rateLimit),
  }
}

/** A filter that finds the requests of a foreign key, which the journal lists masked. */
export function maskFilter({ accounts }: Session, filter: FakeFilter = {}): FakeFilter {
  const { key } = Object(filter) as FakeFilter
  if (typeof key !== 'string' || key.includes('***') || accounts.find(key)) return filter
  return { ...filter, key: maskKey(key) }
}

/** The state of a session; plain data but for functions of the user. */
export interface SessionState {
  keys: ReturnType<Session['accounts']['all']>
  ledger: ReturnType<Session['ledger']['save']>
  journal: ReturnType<Session['journal']['save']>
  faults: ReturnType<Session['faults']['save']>
  stubs: ReturnType<Session['stubs']['save']>
  rateLimit: ReturnType<Session['rateLimit']['save']>
}

export function saveSession({ accounts, ledger, journal, faults, stubs, rateLimit }: Session): SessionState {
  return {
    keys: accounts.all(),
    ledger: ledger.save(),
    journal: journal.save(),
    faults: faults.save(),
    stubs: stubs.save(),
    rateLimit: rateLimit.save(),
  }
}

/** Loads the parts of a state that are given. */
export function loadSession(session: Session, state: Partial<SessionState>): void {
  if (state.keys) session.accounts.load(state.keys)
  if (state.ledger) session.ledger.load(state.ledger)
  if (state.journal) session.journal.load(state.journal)
  if (state.faults) session.faults.load(state.faults)
  if (state.stubs) session.stubs.load(state.stubs)
  if (state.rateLimit) session.rateLimit.load(state.rateLimit)
}
