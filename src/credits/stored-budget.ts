import { EtnMarketError } from '../errors/base.ts'
import { StateUnavailableError } from '../errors/state.ts'
import { type BudgetCore, checkFits, HeldCredits, withTotals } from './budget-core.ts'
import { afterRestart, ENTRY_VERSION, readEntry, writeEntry } from './budget-entry.ts'
import { type BudgetStore, createEntryStore, type EntryStore } from './budget-store.ts'
import type { Reconciliation, Reservation, ReservationDetails, StoredBudget } from './budget-types.ts'
import type { Windows, WindowTotals } from './windows.ts'

export interface StoreSettings {
  readonly store: BudgetStore
  readonly key: string
  readonly timeoutMs: number
  /** Length of a window, milliseconds; null without windows. */
  readonly windowMs: number | null
  /** The time of the windows. */
  time(): number
}

/** A smaller difference between two clocks is their drift, no step. Milliseconds, and a part of a window. */
const MAX_DRIFT_MS = 1_000
const MAX_DRIFT = 0.01

/** A budget whose reservations are written before they may be used. */
export function createStoredBudget(
  bare: Omit<BudgetCore, 'onChange' | 'windows'> & { readonly windows: Windows },
  settings: StoreSettings,
): StoredBudget {
  const { windows, keyBalances, now } = bare
  const { windowMs, time } = settings
  /** The keys in use that the store knows of. */
  let keysWritten = 0
  /** The entry states moments of the wall clock, which may have been set since the process began. */
  const offsetMs = () => {
    const offset = Math.round(now() - time())
    const isDrift = Math.abs(offset) <= Math.min(MAX_DRIFT_MS, MAX_DRIFT * (windowMs ?? Number.POSITIVE_INFINITY))
    return isDrift ? 0 : offset
  }
  const snapshot = () => writeEntry(windowMs, windows.state(), keyBalances?.state(), offsetMs())
  const entry = createEntryStore(settings.store, settings.key, settings.timeoutMs, snapshot)
  let isLoaded = false
  let loading: Promise<void> | undefined

  async function read(): Promise<void> {
    const text = await entry.read()
    if (text !== undefined && text !== null) {
      const current = windows.current()
      const found = afterRestart(readEntry(text, ENTRY_VERSION), windowMs, current)
      windows.restore(found.windows)
      const [last] = found.windows
      const isSameWindow = last?.start === current.start && last.end === current.end
      if (found.keyBalances) keyBalances?.restore(found.keyBalances, isSameWindow)
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
      // An answer is paid for, so a write that fails after it fails nobody. Until it is made up for, the store holds the reservation,
      // which is uncertain after a restart.
      entry.save().catch(() => {})
    },
  }

  const writing: Writing = {
    areKeysWritten: () => keyBalances === undefined || keysWritten >= keyBalances.keysInUse,
    async save() {
      const keys = keyBalances?.keysInUse ?? 0
      await entry.save()
      keysWritten = Math.max(keysWritten, keys)
    },
  }
  const methods: Pick<StoredBudget, 'check' | 'reserve' | 'load' | 'flush'> = {
    check: (credits, details) => void checkFits(core, credits, details),
    async reserve(credits, details) {
      if (!isLoaded) await orUnavailable(load(), details)
      const reservation = new StoredReservation(core, writing, credits, details)
      await reservation.write(details)
      return reservation
    },
    load: async () => {
      if (!isLoaded) await orUnavailable(load(), undefined)
    },
    flush: async () => {
      if (isLoaded) await orUnavailable(entry.save(), undefined)
    },
  }
  return withTotals(core, methods, () => {
    if (!isLoaded) throw notLoaded()
  })
}

function notLoaded(): EtnMarketError {
  const message =
    'The budget is not loaded, so what earlier processes have spent is not known yet: call `await budget.load()` before you read its totals.'
  return new EtnMarketError(message, { code: 'budget_not_loaded' })
}

/** What a reservation uses of its budget. */
interface Writing {
  readonly save: EntryStore['save']
  /** Whether the store knows of the keys in use: after a crash it has to say with which of them a request was sent. */
  areKeysWritten(): boolean
}

/** A reservation that is written before it may be used, and again when it moves to another window. */
class StoredReservation implements Reservation {
  readonly #held: HeldCredits
  readonly #core: BudgetCore
  readonly #writing: Writing
  /** The window for which the reservation is written. */
  #writtenIn: WindowTotals

  constructor(core: BudgetCore, writing: Writing, credits: number, details: ReservationDetails | undefined) {
    this.#held = new HeldCredits(core, credits, details)
    this.#core = core
    this.#writing = writing
    this.#writtenIn = core.windows.current()
  }

  get credits(): number {
    return this.#held.credits
  }

  async write(details: ReservationDetails | undefined): Promise<void> {
    try {
      await orUnavailable(this.#writing.save(), details)
    } catch (error) {
      this.#held.release()
      throw error
    }
  }

  confirm(details?: ReservationDetails, key?: string): void | Promise<void> {
    this.#held.confirm(details, key)
    const window = this.#core.windows.current()
    if (window === this.#writtenIn && this.#writing.areKeysWritten()) return undefined
    this.#writtenIn = window
    // A further window may begin during the write.
    return this.write(details).then(() => this.confirm(details, key))
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
