import type { Reconciliation } from './budget-types.ts'
import { addCredits, type Windows, type WindowTotals } from './windows.ts'

/** What is known of the balance of one key. */
export interface KeyEvidence {
  /** Credits on the key when it was last known; undefined before the first proof and when it proves nothing any more. */
  balance: number | undefined
  /** Credits known to have been charged to the key since then. */
  known: number
  /** The part of the current window's uncertain credits that arose with this key since the balance was known. */
  provable: number
  /** The most that a later balance may show as charged in the current window: lost answers, requests executed late. */
  possible: number
  /** The same for all earlier windows together. */
  olderPossible: number
}

/** What a restart needs to go on reconciling. `provable` and `possible` belong to the current window. */
export interface KeyBalancesState {
  /** By the name of the key. */
  readonly evidence: Readonly<Record<string, KeyEvidence>>
  /** Names of keys that this process has sent with what may be charged: none, the only one, or two of several. */
  readonly inUse: readonly string[]
}

/** A request that is about to be sent, or was. */
export interface SentRequest {
  readonly account: Account
  readonly number: number
}

/** Compares the balance of each key with the charges known for it, for keys that nobody else uses. */
export interface KeyBalances {
  /**
   * Call this right before a request is sent with a key. Pass the result of an earlier call for the same request, if there is one.
   * @param key a name of the key, such as a hash
   * @param isFree states that it cannot be charged, so that a crash need not name its key
   */
  recordSent(key: string, earlier: SentRequest | undefined, isFree: boolean): SentRequest
  /** Call this when a request has ended. `sent` is undefined for one that was never confirmed. */
  recordEnd(sent: SentRequest | undefined, ended: EndedRequest): Reconciliation | undefined
  /** How many keys the process has sent with what may be charged; 2 for more. */
  readonly keysInUse: number
  state(): KeyBalancesState
  /** Replaces the evidence. `isSameWindow` states that it was written in the current window. */
  restore(state: KeyBalancesState, isSameWindow: boolean): void
}

export interface EndedRequest {
  readonly window: WindowTotals
  readonly charged: number
  readonly uncertain: number
  /** The balance of its key after this request, where the answer reports it. */
  readonly remaining: number | undefined
}

/** Bounds the memory of keys that rotate. Of a key that is forgotten nothing is proven. */
const MAX_KEYS = 100

/** One key, and its requests. */
interface Account {
  held: KeyEvidence
  /** The window of `provable` and `possible`. */
  window: WindowTotals
  inFlight: number
  newest: number
  /** The newest request that was sent with nothing else in flight. */
  sentAlone: number
}

/**
 * The proof: between two moments with nothing in flight on a key its balance falls by exactly what was charged. What it fell by
 * beyond the known charges is what lost answers cost. A balance that is too high shows a top-up and proves nothing.
 */
export function createKeyBalances(windows: Windows): KeyBalances {
  const accounts = new Map<string, Account>()
  const inUse = new Set<string>()

  function open(key: string): Account {
    const known = accounts.get(key)
    if (known !== undefined && accounts.size === 1) return known
    const account = known ?? {
      held: emptyEvidence(),
      window: windows.current(),
      inFlight: 0,
      newest: 0,
      sentAlone: 0,
    }
    // The last one of the Map is the newest.
    accounts.delete(key)
    accounts.set(key, account)
    for (const [other, { inFlight }] of accounts) {
      if (accounts.size <= MAX_KEYS) break
      if (inFlight === 0) accounts.delete(other)
    }
    return account
  }

  function rollOver(account: Account): void {
    const window = windows.current()
    if (window === account.window) return
    const { held } = account
    account.window = window
    account.held = { ...held, provable: 0, possible: 0, olderPossible: held.olderPossible + held.possible }
  }

  function addUncertain({ held, window }: Account, lostIn: WindowTotals, credits: number, isProvable: boolean): void {
    if (lostIn !== window) held.olderPossible += credits
    else {
      held.possible += credits
      if (isProvable) held.provable += credits
    }
  }

  /** Nobody knows when and with which key the request was sent, so no balance and no answer in flight proves anything. */
  function recordUnconfirmed({ window, charged, uncertain }: EndedRequest): void {
    if (charged === 0 && uncertain === 0) return
    for (const account of accounts.values()) {
      rollOver(account)
      account.newest++
      Object.assign(account.held, { balance: undefined, provable: 0 })
      // Counted for several keys, one lost charge would explain several.
      if (accounts.size === 1) addUncertain(account, window, uncertain, false)
    }
  }

  function reconcile({ held, window }: Account, remaining: number): Reconciliation | undefined {
    const { balance, known, provable } = held
    Object.assign(held, { balance: remaining, known: 0, provable: 0 })
    if (balance === undefined) return undefined
    const lost = balance - remaining - known
    if (lost < 0) return undefined
    // The current window first: it must not be counted too low. The window of any charge beyond `possible` and `olderPossible` is unknown.
    const fromCurrent = Math.min(lost, held.possible)
    const fromOlder = Math.min(lost - fromCurrent, held.olderPossible)
    held.possible -= fromCurrent
    held.olderPossible -= fromOlder
    const charged = lost - fromOlder
    window.spent = addCredits(window.spent, charged)
    window.uncertain = Math.max(0, window.uncertain - provable)
    if (lost === 0 && provable === 0) return undefined
    return { charged: lost, freed: Math.max(0, provable - charged) }
  }

  return {
    recordSent(key, earlier, isFree) {
      if (earlier !== undefined) earlier.account.inFlight--
      if (inUse.size < 2 && !isFree) inUse.add(key)
      const account = open(key)
      account.newest++
      if (account.inFlight === 0) account.sentAlone = account.newest
      account.inFlight++
      return { account, number: account.newest }
    },
    recordEnd(sent, ended) {
      if (sent === undefined) {
        recordUnconfirmed(ended)
        return undefined
      }
      const { account, number } = sent
      const { window, charged, uncertain, remaining } = ended
      rollOver(account)
      account.inFlight--
      account.held.known += charged
      addUncertain(account, window, uncertain, true)
      const isAlone = number === account.sentAlone && number === account.newest
      return isAlone && remaining !== undefined ? reconcile(account, remaining) : undefined
    },
    get keysInUse() {
      return inUse.size
    },
    state() {
      for (const account of accounts.values()) rollOver(account)
      const evidence = Object.fromEntries([...accounts].map(([key, { held }]) => [key, { ...held }]))
      return { evidence, inUse: [...inUse] }
    },
    restore({ evidence }, isSameWindow) {
      for (const [key, found] of Object.entries(evidence)) {
        const account = open(key)
        const { provable, possible, olderPossible } = found
        account.held = isSameWindow
          ? { ...found }
          : { ...found, provable: 0, possible: 0, olderPossible: olderPossible + possible }
        // What was lost in an earlier window is not freed in this one.
        if (provable > account.window.uncertain) account.held.provable = 0
      }
    },
  }
}

export function emptyEvidence(): KeyEvidence {
  return { balance: undefined, known: 0, provable: 0, possible: 0, olderPossible: 0 }
}
