import type { Admission } from '../concurrency/admission-types.ts'
import { raceWithAbort } from '../concurrency/cancellation.ts'
import { sleep, systemClock } from '../concurrency/clock.ts'
import { nextTurn } from '../concurrency/event-loop.ts'
import type { Reservation } from '../credits/budget.ts'
import { isPromise } from '../utils/runtime.ts'
import type { CallLifetimes } from './call-lifetime.ts'
import type { RequestState } from './send.ts'

/** Calls that were made together end within so many milliseconds: their timers were started one after another. */
const MAX_BURST_MS = 20

/**
 * LAST LOOK: whether a request may be sent now. Its signal, its deadline, the window of its budget and cool-downs are looked at when
 * everything that may wait is over, and nothing but the bytes is left to send.
 */
export class LastLook {
  /** The permission to send it. It ends when a cool-down begins. */
  admission: Admission | undefined
  readonly #state: RequestState
  readonly #lifetimes: CallLifetimes
  readonly #keyName: string
  /** What the store of a budget still writes. */
  #confirmed: Promise<void> | undefined

  constructor(state: RequestState, lifetimes: CallLifetimes, keyName: string) {
    this.#state = state
    this.#lifetimes = lifetimes
    this.#keyName = keyName
  }

  /**
   * Waits for what the look needs. After another wait, a turn of the event loop passes: calls that end together must not send each other on
   * their way out. A budget with a store writes that the request is sent in this window.
   */
  async prepare(hasWaited: boolean): Promise<void> {
    const { shared, batch } = this.#state
    if (hasWaited) await this.#turn()
    batch?.progress.requireProgress()
    this.#confirm()
    if (this.#confirmed !== undefined) await shared.awaitState(this.#confirmed)
    this.#confirmed = undefined
    shared.signal.throwIfAborted()
  }

  /**
   * Looks, and does not wait. False where the request may be sent after a wait.
   * @throws the reason of the signal, or BudgetExceededError where the request does not fit the window of now
   */
  mayBeSent(): boolean {
    const { shared, batch } = this.#state
    shared.signal.throwIfAborted()
    batch?.progress.requireProgress()
    this.#confirm()
    const isCurrent = this.admission?.isCurrent() === true
    if (this.#confirmed === undefined && isCurrent && shared.remaining() > 0) return true
    this.#state.hasWaited = true
    return false
  }

  /** After a call that was ended early the look comes a little later. */
  async #turn(): Promise<void> {
    const { signal } = this.#state.shared
    const { clock } = this.#lifetimes
    await nextTurn()
    // A custom clock decides itself what happens at the same moment.
    if (clock === systemClock && this.#lifetimes.msSinceEarlyEnd() < MAX_BURST_MS)
      await sleep(clock, MAX_BURST_MS, signal)
    this.#state.hasWaited = false
    if (this.#state.shared.remaining() === 0) await raceWithAbort(new Promise<never>(() => {}), signal)
  }

  /** Moves the reservation to the window of now. @throws BudgetExceededError when it does not fit there */
  #confirm(): void {
    // What is being written counts for the window in which that began; afterwards it is looked at again.
    if (this.#confirmed !== undefined) return
    const { request, shared, reservation } = this.#state
    const { attempts, charge, credits } = shared.totals
    const details = { operation: request.operation, attempts, charge, credits }
    const confirmed = (reservation as Reservation).confirm(details, this.#keyName)
    if (!isPromise(confirmed)) return
    this.#confirmed = confirmed
    // `prepare` waits for it, unless the request ends before.
    confirmed.catch(() => {})
  }
}
