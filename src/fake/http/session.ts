import type { Faults } from '../faults/faults.ts'
import type { Settings } from '../options.ts'
import { Accounts } from '../rules/accounts.ts'
import { type AdmittedCall, HeavySlots, type QueryResult } from '../rules/execute.ts'
import { type Charge, type FakeFilter, History, Journal, maskKey } from '../rules/journal.ts'
import { RateLimit } from '../rules/rate-limit.ts'
import type { Stubs } from '../rules/stubs.ts'

const PARTS = ['accounts', 'ledger', 'journal', 'faults', 'stubs', 'rateLimit'] as const

/** The state of a session; plain data but for functions of the user. */
export type SessionState = { [Name in (typeof PARTS)[number]]: Session[Name]['state'] }

/** Everything that `reset` replaces. A request stays with the session in which it arrived. */
export class Session {
  readonly settings: Settings
  /** Looks up the data; `undefined` if the requested thing does not exist. */
  readonly find: (call: AdmittedCall) => QueryResult | undefined
  readonly now: () => number
  readonly accounts: Accounts
  readonly ledger: History<Charge>
  readonly journal: Journal
  readonly faults: Faults
  readonly stubs: Stubs
  readonly heavySlots: HeavySlots
  readonly rateLimit: RateLimit

  /** @param kept lives as long as the fake, because its users hold handles of it */
  constructor(settings: Settings, find: Session['find'], now: () => number, kept: Pick<Session, 'faults' | 'stubs'>) {
    this.settings = settings
    this.find = find
    this.now = now
    this.accounts = new Accounts(settings.keys)
    this.ledger = new History<Charge>(settings.journal.max, ({ delivered }) => delivered)
    this.journal = new Journal(settings.journal.max)
    this.faults = kept.faults
    this.stubs = kept.stubs
    this.heavySlots = new HeavySlots(settings.heavyConcurrency)
    this.rateLimit = new RateLimit(settings.rateLimit)
  }

  /** A key as it is listed: masked unless it is one of the fake's. */
  listKey(key: string): string {
    return this.accounts.find(key) ? key : maskKey(key)
  }

  /** A filter that finds the requests of a foreign key, which the journal lists masked. */
  maskFilter(filter: FakeFilter = {}): FakeFilter {
    const { key } = Object(filter) as FakeFilter
    return typeof key !== 'string' || key.includes('***') ? filter : { ...filter, key: this.listKey(key) }
  }

  save(): SessionState {
    return Object.fromEntries(PARTS.map((name) => [name, this[name].state])) as SessionState
  }

  load(state: SessionState): void {
    for (const name of PARTS) this[name].state = state[name] as never
  }
}
