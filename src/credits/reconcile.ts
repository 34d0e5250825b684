import type { Reconciliation } from './budget.ts'
import { createKeyReader } from './key-name.ts'
import { addCredits, type BudgetWindows, type WindowTotals } from './windows.ts'

/** A request whose answer is lost, or several that are counted together. */
interface Loss {
  /** When it was sent. Its charge may be made for `maxChargeDelayMs` from then on. */
  readonly sentAt: number
  /** Its worst case, which is uncertain in its window. */
  readonly credits: number
  /** The part of it that no balance has shown as charged. */
  possible: number
  /** The window in which it was sent; undefined for one that ended before a restart. */
  readonly window: WindowTotals | undefined
}

export interface StoredLoss extends Omit<Loss, 'window'> {
  /** It was sent in the window that was current when the entry was written. */
  readonly isCurrent: boolean
}

export interface KeyEvidence<OneLoss = StoredLoss> {
  /** Credits on the key when it was last known; undefined before the first time, and when it proves nothing any more. */
  balance: number | undefined
  /** Credits known to have been charged to the key since then. */
  known: number
  /** What was lost since the balance was first known and is not freed, oldest first. */
  losses: OneLoss[]
}

/** What a restart needs to go on reconciling. */
export interface KeyBalancesState {
  /** By the name of the key. */
  readonly evidence: Readonly<Record<string, KeyEvidence>>
  /** Names of keys that this process has sent with what may be charged: none, the only one, or two of several. An empty one is not known. */
  readonly inUse: readonly string[]
}

/** A request that is about to be sent, or was. */
export interface SentRequest {
  /** Undefined where its key is not known. */
  readonly account: Account | undefined
  readonly number: number
  readonly sentAt: number
}

interface EndedRequest {
  /** It cannot be charged: its answer is that of `account.me`, which a cache on the way may have kept. */
  readonly isFree: boolean
  readonly window: WindowTotals
  readonly charged: number
  readonly uncertain: number
  /** The balance of its key after this request, where the answer reports it. */
  readonly remaining: number | undefined
}

/** One key, and its requests. */
class Account implements KeyEvidence<Loss> {
  balance: number | undefined
  known = 0
  losses: Loss[] = []
  inFlight = 0
  newest = 0
  /** The newest request that was sent with nothing else in flight. */
  sentAlone = 0
  /** Whether `balance` is from a free answer. */
  isFromFree = false
  /** A charged answer has shown that a free one was wrong: no further one proves anything. */
  isFreeWrong = false
}

export const DEFAULT_MAX_CHARGE_DELAY_MS = 60_000

/** Bounds the memory of keys that rotate. Of a key that is forgotten nothing is proven. */
const MAX_KEYS = 100
/** Beyond this number losses that were sent at about the same time are counted together, as sent with the last of them. */
export const MAX_LOSSES = 32
/** "About the same time" is a part of `maxChargeDelayMs`. */
export const LOSS_PARTS = 8

/**
 * Compares the balance of each key with the charges known for it, for keys that nobody else uses.
 *
 * Between two moments with nothing in flight on a key its balance falls by exactly what was charged. What it fell by beyond the known charges
 * counts as spent. A lost request that was sent long enough ago is charged by then or never, so it is uncertain no more. A younger one may still be
 * charged, and stays uncertain. A balance that is too high shows a top-up and proves nothing. `redis/scripts/ledger.lua.ts` has the same rule for
 * fleets; `test/redis/reconcile-model.test.ts` compares both.
 */
export class KeyBalances {
  readonly #windows: Pick<BudgetWindows, 'current'>
  readonly #time: () => number
  readonly #maxChargeDelayMs: number
  readonly #nameOf = createKeyReader()
  readonly #accounts = new Map<string, Account>()
  readonly #inUse = new Set<string>()
  /** Requests in flight whose key is not known. */
  #unnamed = 0

  /** @param time elapsed time, or for a store that since the wall clock of the beginning */
  constructor(windows: Pick<BudgetWindows, 'current'>, time: () => number, maxChargeDelayMs: number) {
    this.#windows = windows
    this.#time = time
    this.#maxChargeDelayMs = maxChargeDelayMs
  }

  /** How many keys the process has sent with what may be charged; 2 for more. */
  get keysInUse(): number {
    return this.#inUse.size
  }

  /**
   * Call this right before a request is sent with a key. Pass the result of an earlier call for the same request, if there is one.
   * @param key the key or its name; empty where it is not known
   * @param isFree states that it cannot be charged, so that a crash need not name its key
   */
  recordSent(key: string, earlier: SentRequest | undefined, isFree: boolean): SentRequest {
    if (earlier !== undefined) this.#leave(earlier)
    const name = this.#nameOf(key)
    if (this.#inUse.size < 2 && !isFree) this.#inUse.add(name)
    const sentAt = this.#time()
    if (name === '') {
      this.#unnamed++
      for (const account of this.#accounts.values()) account.newest++
      return { account: undefined, number: 0, sentAt }
    }
    const account = this.#open(name)
    account.newest++
    if (account.inFlight === 0 && this.#unnamed === 0) account.sentAlone = account.newest
    account.inFlight++
    return { account, number: account.newest, sentAt }
  }

  /** Call this when a request has ended. `sent` is undefined for one that was never confirmed. */
  recordEnd(
    sent: SentRequest | undefined,
    { isFree, window, charged, uncertain, remaining }: EndedRequest,
  ): Reconciliation | undefined {
    if (sent !== undefined) this.#leave(sent)
    const account = sent?.account
    if (sent === undefined || account === undefined) {
      if (charged > 0) this.#forgetBalances()
      return undefined
    }
    account.known = addCredits(account.known, charged)
    // What is lost before the balance is known cannot be proven by it.
    if (uncertain > 0 && account.balance !== undefined) {
      account.losses.push({ sentAt: sent.sentAt, credits: uncertain, possible: uncertain, window })
      this.#mergeLosses(account)
    }
    const isAlone = sent.number === account.sentAlone && sent.number === account.newest
    if (!isAlone || remaining === undefined || (isFree && account.isFreeWrong)) return undefined
    return this.#reconcile(account, remaining, sent.sentAt, isFree)
  }

  /** @param aheadMs what its time is ahead of the moments that are stored */
  state(aheadMs: number): KeyBalancesState {
    const current = this.#windows.current()
    const toStored = ({ window, sentAt, ...loss }: Loss): StoredLoss => {
      return { ...loss, sentAt: Math.ceil(sentAt - aheadMs), isCurrent: window === current }
    }
    const evidence = Array.from(this.#accounts, ([key, { balance, known, losses }]) => {
      return [key, { balance, known, losses: losses.map(toStored) }] as const
    })
    return { evidence: Object.fromEntries(evidence), inUse: [...this.#inUse] }
  }

  /**
   * Replaces the evidence. What an earlier process had in flight was sent after the balance was known, so a later balance proves what it cost, where
   * that process had used one key.
   * @param reserved in its windows, the current one first. @param isSameWindow whether that is current now
   */
  restore({ evidence, inUse }: KeyBalancesState, reserved: readonly number[], isSameWindow: boolean): void {
    const current = this.#windows.current()
    const now = this.#time()
    for (const [key, { balance, known, losses }] of Object.entries(evidence)) {
      const isOnly = inUse.length === 1 && inUse[0] === key && balance !== undefined
      // When it was sent is not known: at the latest now.
      const inFlight = (isOnly ? reserved : []).map((credits, index): StoredLoss => {
        return { sentAt: now, credits, possible: credits, isCurrent: index === 0 }
      })
      const restored = [...losses, ...inFlight.filter(({ credits }) => credits > 0)].map((loss): Loss => {
        const { sentAt, credits, possible, isCurrent } = loss
        const window = isCurrent && isSameWindow ? current : undefined
        return { sentAt: Math.min(sentAt, now), credits, possible, window }
      })
      Object.assign(this.#open(key), { balance, known, losses: restored })
    }
  }

  #open(key: string): Account {
    const accounts = this.#accounts
    const known = accounts.get(key)
    if (known !== undefined && accounts.size === 1) return known
    const account = known ?? new Account()
    // The last one of the Map is the newest.
    accounts.delete(key)
    accounts.set(key, account)
    for (const [other, { inFlight }] of accounts) {
      if (accounts.size <= MAX_KEYS) break
      if (inFlight === 0) accounts.delete(other)
    }
    return account
  }

  #leave({ account }: SentRequest): void {
    if (account === undefined) this.#unnamed--
    else account.inFlight--
  }

  /** Nobody knows which key was charged, so no balance is comparable with a later one, nor with that of an answer in flight. */
  #forgetBalances(): void {
    for (const account of this.#accounts.values()) {
      account.newest++
      Object.assign(account, { balance: undefined, losses: [] })
    }
  }

  /** @param quietAt when the request was sent whose answer has the balance: nothing else was in flight from then on */
  #reconcile(account: Account, remaining: number, quietAt: number, isFree: boolean): Reconciliation | undefined {
    const { balance, known, losses, isFromFree } = account
    const fall = balance === undefined ? -1 : balance - remaining - known
    Object.assign(account, { balance: remaining, known: 0, losses: [], isFromFree: isFree })
    if (fall < 0) return undefined
    const window = this.#windows.current()
    const isCurrent = (loss: Loss) => loss.window === window
    let charged = fall
    let unexplained = fall
    // The current window first: it must not be counted too low. A charge that no loss explains counts in it as well.
    for (const loss of [...losses.filter(isCurrent), ...losses.filter((one) => !isCurrent(one))]) {
      const part = Math.min(unexplained, loss.possible)
      loss.possible -= part
      unexplained -= part
      if (!isCurrent(loss)) charged -= part
    }
    if (unexplained > 0 && isFromFree && !isFree) account.isFreeWrong = true
    let freed = 0
    for (const loss of losses) {
      // From the future: the clock was set back.
      const sentAt = Math.min(loss.sentAt, quietAt)
      if (sentAt > quietAt - this.#maxChargeDelayMs) account.losses.push({ ...loss, sentAt })
      else if (isCurrent(loss)) freed += loss.credits
    }
    window.spent = addCredits(window.spent, charged)
    window.uncertain = Math.max(0, window.uncertain - freed)
    if (fall === 0 && freed === 0) return undefined
    return { charged: fall, freed: Math.max(0, freed - charged) }
  }

  #mergeLosses(account: Account): void {
    if (account.losses.length <= MAX_LOSSES) return
    const current = this.#windows.current()
    const now = this.#time()
    const partMs = this.#maxChargeDelayMs / LOSS_PARTS
    const merged = new Map<string, Loss>()
    for (const loss of account.losses) {
      const window = loss.window === current ? current : undefined
      // Moments that stay where they are: what is counted together becomes no younger with each time.
      const part = Math.ceil(Math.max(now - this.#maxChargeDelayMs, Math.min(now, loss.sentAt)) / partMs)
      const key = `${part} ${window === current}`
      const { sentAt, credits, possible } = merged.get(key) ?? { sentAt: loss.sentAt, credits: 0, possible: 0 }
      merged.set(key, {
        sentAt: Math.max(sentAt, loss.sentAt),
        credits: addCredits(credits, loss.credits),
        possible: addCredits(possible, loss.possible),
        window,
      })
    }
    account.losses = [...merged.values()]
  }
}
