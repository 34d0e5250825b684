import type { Admission } from '../concurrency/admission-types.ts'
import { raceWithAbort } from '../concurrency/cancellation.ts'
import { sleep, systemClock } from '../concurrency/clock.ts'
import { nextTurn } from '../concurrency/event-loop.ts'
import type { Reservation } from '../credits/budget.ts'
import { isPromise } from '../utils/runtime.ts'
import { awaitState, confirmReservation } from './reserve.ts'
import type { RequestState, SendContext } from './types.ts'

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
  readonly #context: Pick<SendContext, 'clock' | 'msSinceEarlyEnd'>
  readonly #reservation: Reservation
  readonly #keyName: string
  /** What the store of a budget still writes. */
  #confirmed: Promise<void> | undefined

  constructor(
    state: RequestState,
    context: Pick<SendContext, 'clock' | 'msSinceEarlyEnd'>,
    reservation: Reservation,
    keyName: string,
  ) {
    this.#state = state
    this.#context = context
    this.#reservation = reservation
    this.#keyName = keyName
  }

  /**
   * Waits for what the look needs. After another wait, a turn of the event loop passes: calls that end together must not send each other on
   * their way out. A budget with a store writes that the request is sent in this window.
   */
  async prepare(hasWaited: boolean): Promise<void> {
    const { signal, batch } = this.#state
    if (hasWaited) await this.#turn()
    batch?.requireProgress()
    this.#confirm()
    if (this.#confirmed !== undefined) await awaitState(this.#confirmed, this.#state)
    this.#confirmed = undefined
    signal.throwIfAborted()
  }

  /**
   * Looks, and does not wait. False where the request may be sent after a wait.
   * @throws the reason of the signal, or BudgetExceededError where the request does not fit the window of now
   */
  mayBeSent(): boolean {
    const { signal, batch, deadline } = this.#state
    signal.throwIfAborted()
    batch?.requireProgress()
    this.#confirm()
    const isCurrent = this.admission?.isCurrent() === true
    if (this.#confirmed === undefined && isCurrent && deadline.remaining() > 0) return true
    this.#state.hasWaited = true
    return false
  }

  /** After a call that was ended early the look comes a little later. */
  async #turn(): Promise<void> {
    const { clock, msSinceEarlyEnd } = this.#context
    const { signal, deadline } = this.#state
    await nextTurn()
    // A custom clock decides itself what happens at the same moment.
    if (clock === systemClock && msSinceEarlyEnd() < MAX_BURST_MS) await sleep(clock, MAX_BURST_MS, signal)
    this.#state.hasWaited = false
    if (deadline.remaining() === 0) await raceWithAbort(new Promise<never>(() => {}), signal)
  }

  #confirm(): void {
    // What is being written counts for the window in which that began; afterwards it is looked at again.
    if (this.#confirmed !== undefined) return
    const confirmed = confirmReservation(this.#state, this.#reservation, this.#keyName)
    if (!isPromise(confirmed)) return
    this.#confirmed = confirmed
    // `prepare` waits for it, unless the request ends before.
    confirmed.catch(() => {})
  }
}
