import { Faults } from '../faults/faults.ts'
import type { Settings } from '../options.ts'
import { Accounts, type KeyState } from '../rules/accounts.ts'
import { HeavySlots, type ServiceState } from '../rules/execute.ts'
import { Journal, maskKey } from '../rules/journal.ts'
import { type FakeFilter, Ledger } from '../rules/ledger.ts'
import { RateLimit } from '../rules/rate-limit.ts'
import { Stubs } from '../rules/stubs.ts'

/** The state of a session; plain data but for functions of the user. */
export interface SessionState {
  keys: Record<string, KeyState>
  ledger: ReturnType<Ledger['save']>
  journal: ReturnType<Journal['save']>
  faults: ReturnType<Faults['save']>
  stubs: ReturnType<Stubs['save']>
  rateLimit: ReturnType<RateLimit['save']>
}

/** Everything that `reset` replaces. A request stays with the session in which it arrived. */
export class Session implements ServiceState {
  readonly settings: Settings
  readonly find: ServiceState['find']
  readonly now: () => number
  readonly accounts: Accounts
  readonly ledger: Ledger
  readonly journal: Journal
  readonly faults: Faults
  readonly stubs = new Stubs()
  readonly heavySlots: HeavySlots
  readonly rateLimit: RateLimit

  constructor(settings: Settings, find: ServiceState['find'], now: () => number) {
    this.settings = settings
    this.find = find
    this.now = now
    this.accounts = new Accounts(settings.keys)
    this.ledger = new Ledger(settings.journal.max)
    this.journal = new Journal(settings.journal.max)
    this.faults = new Faults(settings.seed, (key) => (this.accounts.find(key) ? key : maskKey(key)))
    this.heavySlots = new HeavySlots(settings.heavyConcurrency, settings.heavyRetryAfterSeconds)
    this.rateLimit = new RateLimit(settings.rateLimit)
  }

  /** A filter that finds the requests of a foreign key, which the journal lists masked. */
  maskFilter(filter: FakeFilter = {}): FakeFilter {
    const { key } = Object(filter) as FakeFilter
    if (typeof key !== 'string' || key.includes('***') || this.accounts.find(key)) return filter
    return { ...filter, key: maskKey(key) }
  }

  save(): SessionState {
    return {
      keys: this.accounts.all(),
      ledger: this.ledger.save(),
      journal: this.journal.save(),
      faults: this.faults.save(),
      stubs: this.stubs.save(),
      rateLimit: this.rateLimit.save(),
    }
  }

  /** Loads the parts of a state that are given. */
  load({ keys, ledger, journal, faults, stubs, rateLimit }: Partial<SessionState>): void {
    if (keys) this.accounts.load(keys)
    if (ledger) this.ledger.load(ledger)
    if (journal) this.journal.load(journal)
    if (faults) this.faults.load(faults)
    if (stubs) this.stubs.load(stubs)
    if (rateLimit) this.rateLimit.load(rateLimit)
  }
}
