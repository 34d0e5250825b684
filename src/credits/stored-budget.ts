import { startBackgroundTimer, systemClock } from '../concurrency/clock.ts'
import { callStore, type StoreCallOptions, storedText } from '../concurrency/store-call.ts'
import { EtnMarketError } from '../errors/base.ts'
import { describeCall, StateUnavailableError } from '../errors/budget.ts'
import { isPromise } from '../utils/runtime.ts'
import { exponentialBackoff } from '../utils/time-units.ts'
import { createWriteQueue } from '../utils/write-queue.ts'
import type { ReservationDetails, StoredBudget } from './budget.ts'
import { BudgetCore, type BudgetSettings, HeldCredits, withTotals } from './budget-core.ts'
import { type BudgetEntry, readEntry, writeEntry } from './budget-entry.ts'
import type { EntryOptions, StoredEntry } from './open-entries.ts'
import type { BudgetWindows, WindowTime, WindowTotals } from './windows.ts'

/** What a budget counts with, from when its entry is read on. */
export type StoredCounts = Omit<BudgetSettings, 'windows'> & {
  readonly windows: BudgetWindows
  readonly time: WindowTime
}

/** A budget whose reservations are written before they may be used. @param begin makes empty counts */
export function createStoredBudget(options: EntryOptions, begin: () => StoredCounts): StoredEntry {
  const core = new StoredCore(options, begin)
  const { reserve, load, flush, readAgain } = core
  const check: StoredBudget['check'] = (credits, details) => core.check(credits, details)
  return { budget: withTotals(core, { check, reserve, load, flush }), readAgain }
}

/** Counts the reservations of a budget, and keeps the counts in its store. Its functions may be taken apart. */
class StoredCore extends BudgetCore {
  declare settings: StoredCounts
  readonly #begin: () => StoredCounts
  readonly #windowMs: number | null
  readonly #entry: EntryStore
  isLoaded = false
  /** Whether the entry was read since the budget was opened for the last time. Until then nothing is reserved. */
  #isRead = false
  #reading: Promise<void> | undefined
  /** The keys in use that the store knows of. */
  #keysWritten = 0

  constructor(options: EntryOptions, begin: () => StoredCounts) {
    super(begin())
    this.#begin = begin
    this.#windowMs = options.windowMs ?? null
    this.#entry = new EntryStore(options, () => this.#write())
  }

  override totals(): WindowTotals {
    if (!this.isLoaded) throw notLoaded()
    return super.totals()
  }

  override onChange(): void {
    // An answer is paid for, so a write that fails after it fails nobody. Until it is made up for, the store holds the reservation,
    // which is uncertain after a restart.
    this.#entry.save().catch(() => {})
  }

  /** While a request is in flight, no other process uses the entry. */
  readonly readAgain = (): void => {
    if (this.held === 0) this.#isRead = false
  }

  readonly reserve = async (credits: number, details?: ReservationDetails): Promise<StoredReservation> => {
    while (!this.#isRead) await this.load(details)
    const reservation = new StoredReservation(this, credits, details)
    await reservation.write(details)
    return reservation
  }

  readonly load = async (details?: ReservationDetails): Promise<void> => {
    if (this.#isRead) return
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    await orUnavailable(this.#reading, details)
  }

  readonly flush = async (): Promise<void> => {
    if (this.isLoaded) await orUnavailable(this.#entry.save(), undefined)
  }

  /** Whether the store knows of the keys in use: after a crash it has to say with which of them a request was sent. */
  get areKeysWritten(): boolean {
    return this.settings.keyBalances === undefined || this.#keysWritten >= this.settings.keyBalances.keysInUse
  }

  async save(details: ReservationDetails | undefined): Promise<void> {
    const keys = this.settings.keyBalances?.keysInUse ?? 0
    await orUnavailable(this.#entry.save(), details)
    this.#keysWritten = Math.max(this.#keysWritten, keys)
  }

  async #read(): Promise<void> {
    const text = await this.#entry.readForeign()
    if (text !== undefined) this.#restore(readEntry(text))
    this.#entry.remember(text)
    this.isLoaded = true
    this.#isRead = true
  }

  /** Counts on from what another process has written. */
  #restore(entry: BudgetEntry): void {
    this.settings = this.#begin()
    this.#keysWritten = 0
    const { windows, keyBalances } = this.settings
    const isSameWindow = windows.restore(entry.windows, entry.windowMs === this.#windowMs)
    const reserved = entry.windows.map((one) => one.reserved)
    if (entry.keyBalances) keyBalances?.restore(entry.keyBalances, reserved, isSameWindow)
  }

  /** The text of the counts, in moments of the wall clock. */
  #write(): string {
    const { setBackMs, jumpedMs } = this.settings.time
    const { windows, keyBalances } = this.settings
    const moved = windows.all().map(({ start, end, countsUntil, ...counts }) => ({
      start: start - setBackMs,
      end: end - setBackMs,
      countsUntil: countsUntil - setBackMs,
      ...counts,
    }))
    return writeEntry({
      windowMs: this.#windowMs,
      windows: moved,
      keyBalances: keyBalances?.state(setBackMs - jumpedMs),
    })
  }
}

/** A reservation that is written before it may be used, and again when it moves to another window. */
class StoredReservation extends HeldCredits<StoredCore> {
  /** The window for which the reservation is written. */
  #writtenIn: WindowTotals = this.core.settings.windows.current()

  async write(details: ReservationDetails | undefined): Promise<void> {
    try {
      await this.core.save(details)
    } catch (error) {
      this.release()
      throw error
    }
  }

  override confirm(details?: ReservationDetails, key?: string): void | Promise<void> {
    super.confirm(details, key)
    const window = this.core.settings.windows.current()
    if (window === this.#writtenIn && this.core.areKeysWritten) return undefined
    this.#writtenIn = window
    // A further window may begin during the write.
    return this.write(details).then(() => this.confirm(details, key))
  }
}

function notLoaded(): EtnMarketError {
  const message =
    'The budget is not loaded, so what earlier processes have spent is not known yet: call `await budget.load()` before you read its totals.'
  return new EtnMarketError(message, { code: 'budget_not_loaded' })
}

async function orUnavailable(done: Promise<void>, details: ReservationDetails | undefined): Promise<void> {
  try {
    await done
  } catch (cause) {
    const { subject, sent } = describeCall(details)
    const message = `${subject} store of the budget failed. ${sent} Check the store; the error's cause says what happened.`
    throw new StateUnavailableError(message, { ...details, cause })
  }
}

const MIN_PAUSE_MS = 100
const MAX_PAUSE_MS = 30_000
const MAX_KNOWN = 32

/** Reads and writes one entry. */
class EntryStore {
  readonly #options: EntryOptions
  readonly #limits: StoreCallOptions
  readonly #snapshot: () => string
  readonly #queue = createWriteQueue(() => this.#write())
  #failures = 0
  #stopRetry: (() => void) | undefined
  /** The last texts that were read or written: a write that failed may have arrived, and a store may show an older one for a while. */
  readonly #known: (string | undefined)[] = []
  /** Whether the store has returned the entry. One that never does would begin with nothing counted after each restart. */
  #isShown = false

  /** @param snapshot returns what to write; it is called when a write begins */
  constructor(options: EntryOptions, snapshot: () => string) {
    this.#options = options
    this.#limits = { clock: systemClock, timeoutMs: options.storeTimeoutMs }
    this.#snapshot = snapshot
  }

  /** The text in the store, unless there is none, or this budget has read or written it. */
  async readForeign(): Promise<string | undefined> {
    const text = await callStore(() => this.#get(), this.#limits)
    return this.#known.includes(text) ? undefined : text
  }

  async #get(): Promise<string | undefined> {
    const { store, key } = this.#options
    const text = storedText(await store.get(key))
    this.#isShown ||= text !== undefined
    return text
  }

  /** Resolves when a write that began after this call has succeeded. One that failed is tried again while the process lives. */
  save(): Promise<void> {
    return callStore(() => this.#queue.write(), this.#limits)
  }

  async #write(): Promise<void> {
    const text = this.#snapshot()
    this.remember(text)
    this.#stopRetry?.()
    this.#stopRetry = undefined
    const written = this.#set(text)
    try {
      await callStore(() => written, this.#limits)
      this.#failures = 0
    } catch (error) {
      // If it ends after all, it may have replaced newer counts, which are written again.
      written.then(() => this.#queue.write()).catch(() => {})
      this.#writeLater()
      throw error
    }
  }

  /** What is known to be charged is written late rather than never, also when no call follows. */
  #writeLater(): void {
    this.#stopRetry ??= startBackgroundTimer(
      exponentialBackoff(this.#failures++, MIN_PAUSE_MS, MAX_PAUSE_MS),
      () => void this.#writeAgain(),
    )
  }

  async #writeAgain(): Promise<void> {
    this.#stopRetry = undefined
    try {
      // Another budget that has written since has counted what this one had reserved, and must not lose what it spent.
      if ((await this.readForeign()) === undefined) await this.#queue.write()
    } catch {
      this.#writeLater()
    }
  }

  async #set(text: string): Promise<void> {
    const { store, key, ttlMs } = this.#options
    const writing: unknown = store.set(key, text, ttlMs)
    if ((await writing) === false) throw new Error('The store reports that it did not write the entry.')
    // One that takes callbacks returns at once, and has neither written nor read. What a store writes later, it may also show later.
    if (!isPromise(writing) && !this.#isShown && (await this.#get()) === undefined)
      throw new Error('The store does not have what was just written to it.')
  }

  remember(text: string | undefined): void {
    this.#known.push(text)
    if (this.#known.length > MAX_KNOWN) this.#known.shift()
  }
}
