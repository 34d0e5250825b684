import { StateUnavailableError } from '../errors/state.ts'
import { type BudgetCore, checkFits, HeldCredits, withTotals } from './budget-core.ts'
import { afterRestart, readEntry, writeEntry } from './budget-entry.ts'
import { type BudgetStore, createEntryStore, type EntryStore } from './budget-store.ts'
import type { Reconciliation, Reservation, ReservationDetails, StoredBudget } from './budget-types.ts'
import type { Windows } from './windows.ts'

export interface StoreSettings {
  readonly store: BudgetStore
  readonly key: string
  readonly timeoutMs: number
  /** Length of a window, milliseconds; null without windows. */
  readonly windowMs: number | null
}

/** A budget whose reservations are written before they may be used. */
export function createStoredBudget(
  bare: Omit<BudgetCore, 'onChange'> & { readonly windows: Windows },
  settings: StoreSettings,
): StoredBudget {
  const { windows, keyBalance } = bare
  const { windowMs } = settings
  const snapshot = () => writeEntry({ windowMs, ...windows.state(), keyBalance: keyBalance?.state() })
  const entry = createEntryStore(settings.store, settings.key, settings.timeoutMs, snapshot)
  let isLoaded = false
  let loading: Promise<void> | undefined

  async function read(): Promise<void> {
    const text = await entry.read()
    if (text !== undefined && text !== null) {
      const found = afterRestart(readEntry(text), windowMs, windows.current().index)
      windows.restore(found)
      if (found.keyBalance) keyBalance?.restore(found.keyBalance)
    }
    isLoaded = true
  }

  function load(): Promise<void> {
    loading ??= read().finally(() => {
      loading = undefined
    })
    return loading
  }

  const core: BudgetCore = {
    ...bare,
    onChange() {
      // An answer is paid for, so a write that fails after it fails nobody. Until a later write succeeds, the store holds
      // the reservation, which is uncertain after a restart.
      entry.save().catch(() => {})
    },
  }

  return withTotals<Pick<StoredBudget, 'check' | 'reserve' | 'load' | 'flush'>>(core, {
    check: (credits, details) => void checkFits(core, credits, details),
    async reserve(credits, details) {
      if (!isLoaded) await orUnavailable(load(), details)
      const reservation = new StoredReservation(core, entry.save, credits, details)
      await reservation.write(details)
      return reservation
    },
    load: async () => {
      if (!isLoaded) await orUnavailable(load(), undefined)
    },
    flush: async () => {
      if (isLoaded) await orUnavailable(entry.save(), undefined)
    },
  })
}

/** A reservation that is written before it may be used, and again when it moves to another window. */
class StoredReservation implements Reservation {
  readonly #held: HeldCredits
  readonly #core: BudgetCore
  readonly #save: EntryStore['save']
  /** The window for which the reservation is written. */
  #writtenIn: number

  constructor(core: BudgetCore, save: EntryStore['save'], credits: number, details: ReservationDetails | undefined) {
    this.#held = new HeldCredits(core, credits, details)
    this.#core = core
    this.#save = save
    this.#writtenIn = core.windows.current().index
  }

  get credits(): number {
    return this.#held.credits
  }

  async write(details: ReservationDetails | undefined): Promise<void> {
    try {
      await orUnavailable(this.#save(), details)
    } catch (error) {
      this.#held.release()
      throw error
    }
  }

  confirm(details?: ReservationDetails): void | Promise<void> {
    this.#held.confirm(details)
    const { index } = this.#core.windows.current()
    if (index === this.#writtenIn) return undefined
    this.#writtenIn = index
    // A further window may begin during the write.
    return this.write(details).then(() => this.confirm(details))
  }

  settle(charged: number, observed?: { readonly remaining?: number | undefined }): Reconciliation | undefined {
    return this.#held.settle(charged, observed)
  }

  release(): void {
    this.#held.release()
  }

  markUncertain(): void {
    this.#held.markUncertain()
  }
}

async function orUnavailable(done: Promise<void>, details: ReservationDetails | undefined): Promise<void> {
  try {
    await done
  } catch (cause) {
    const subject = details?.operation ? `${details.operation}: the` : 'The'
    const sent = details?.attempts ? 'No further request was sent.' : 'Nothing was sent.'
    const message = `${subject} store of the budget failed. ${sent} Check the store; the error's cause says what happened.`
    throw new StateUnavailableError(message, { ...details, cause })
  }
}
