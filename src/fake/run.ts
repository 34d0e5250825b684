import { document } from '../generated/document.ts'
import { type Accounts, createAccounts } from './accounts.ts'
import type { Question } from './check.ts'
import { createFaults, type Faults } from './faults.ts'
import { createHeavySlots, type HeavySlots } from './heavy.ts'
import { createJournal, type Journal } from './journal.ts'
import { createLedger, type Ledger } from './ledger.ts'
import type { KeyState, Settings } from './options.ts'
import { createRateLimit, type RateLimit } from './rate.ts'
import type { FakeOperation } from './routes.ts'
import type { Finding, World } from './world/world.ts'

/** Everything that `reset` throws away. A request keeps to the run in which it arrived. */
export interface Run {
  settings: Settings
  accounts: Accounts
  ledger: Ledger
  journal: Journal
  faults: Faults
  heavy: HeavySlots
  rate: RateLimit
  now(): number
  /** Looks up what a question is about; `undefined` when it does not exist. */
  find(operation: FakeOperation, question: Question, account: KeyState | undefined): Finding | undefined
}

export function createRun(settings: Settings, world: World, now: () => number): Run {
  return {
    settings,
    now,
    accounts: createAccounts(settings.keys),
    ledger: createLedger(),
    journal: createJournal(),
    faults: createFaults(settings.seed),
    heavy: createHeavySlots(settings.heavyConcurrency),
    rate: createRateLimit(settings.rateLimit),
    find(operation, question, account) {
      if (operation === 'meta.openapi') return { data: document, items: 0 }
      if (operation === 'account.me') return account && { data: { ...account }, items: 0 }
      return world.find(operation, question, now())
    },
  }
}
