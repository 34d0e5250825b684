import { type Cancel, Canceller } from '../abort.ts'
import { type Clock, startTimer } from '../clock.ts'
import { EtnMarketError } from '../errors/base.ts'

/** Why a call ended that took too long; never leaves the library. */
export const DEADLINE = Symbol('deadline')

/** Promises between a call's end and the code that waits for it. */
const MOST_TURNS = 8

/** The life of one call: ends by the caller's signal, by its deadline, or with the client. */
export interface Scope {
  readonly signal: Cancel
  readonly startedAt: number
  readonly deadlineAt: number
  /** No timer or listener of the call is left after it. */
  end(): void
}

/** The calls of one client. */
export interface Scopes {
  /** @throws the signal's reason when it is aborted already. */
  open(deadlineMs: number, callerSignal: AbortSignal | undefined): Scope
  /** Ends every call that is under way, and lets no further one begin; resolves when all have ended. */
  close(): Promise<void>
}

export function createScopes(clock: Clock): Scopes {
  const listen = createListeners()
  const live = new Map<Scope, Canceller>()
  let closing: Promise<void> | undefined
  let lastEnded = () => {}

  return {
    open(deadlineMs, callerSignal) {
      if (closing !== undefined) throw closedError()
      callerSignal?.throwIfAborted()
      const signal = new Canceller()
      const startedAt = clock.now()
      const stopTimer = startTimer(clock, deadlineMs, () => signal.abort(DEADLINE))
      const stopListening = callerSignal && listen(callerSignal, () => signal.abort(callerSignal.reason))
      const scope: Scope = {
        signal,
        startedAt,
        deadlineAt: startedAt + deadlineMs,
        end() {
          stopTimer()
          stopListening?.()
          live.delete(scope)
          if (live.size === 0) lastEnded()
        },
      }
      live.set(scope, signal)
      return scope
    },
    close() {
      closing ??= new Promise<void>((resolve) => {
        lastEnded = resolve
        if (live.size === 0) resolve()
        for (const signal of live.values()) signal.abort(closedError())
      }).then(afterCallers)
      return closing
    },
  }
}

/** Those who made the calls hear of their end before the one who closed the client. */
async function afterCallers(): Promise<void> {
  for (let turn = 0; turn < MOST_TURNS; turn++) await undefined
}

/** One listener for each signal, however many calls share it: a page may use one controller all day, for all it does. */
function createListeners(): (signal: AbortSignal, callback: () => void) => () => void {
  const crowds = new WeakMap<AbortSignal, { callbacks: Set<() => void>; onAbort: () => void }>()
  return (signal, callback) => {
    let crowd = crowds.get(signal)
    if (crowd === undefined) {
      const callbacks = new Set<() => void>()
      crowd = {
        callbacks,
        onAbort() {
          for (const each of [...callbacks]) each()
        },
      }
      crowds.set(signal, crowd)
    }
    const { callbacks, onAbort } = crowd
    if (callbacks.size === 0) signal.addEventListener('abort', onAbort)
    callbacks.add(callback)
    return () => {
      callbacks.delete(callback)
      if (callbacks.size === 0) signal.removeEventListener('abort', onAbort)
    }
  }
}

function closedError(): EtnMarketError {
  return new EtnMarketError('The client is closed. Make a new one with createClient.', { code: 'client_closed' })
}
