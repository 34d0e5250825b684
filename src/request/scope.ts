import { type Cancel, Canceller } from '../abort.ts'
import { type Clock, startTimer } from '../clock.ts'
import { EtnMarketError } from '../errors/base.ts'

/** Why a call ended that took too long; never leaves the library. */
export const DEADLINE = Symbol('deadline')

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
      const onAbort = () => signal.abort(callerSignal?.reason)
      callerSignal?.addEventListener('abort', onAbort, { once: true })
      const scope: Scope = {
        signal,
        startedAt,
        deadlineAt: startedAt + deadlineMs,
        end() {
          stopTimer()
          callerSignal?.removeEventListener('abort', onAbort)
          live.delete(scope)
          if (live.size === 0) lastEnded()
        },
      }
      live.set(scope, signal)
      return scope
    },
    close() {
      closing ??= new Promise((resolve) => {
        lastEnded = resolve
        if (live.size === 0) resolve()
        for (const signal of live.values()) signal.abort(closedError())
      })
      return closing
    },
  }
}

function closedError(): EtnMarketError {
  return new EtnMarketError('The client is closed. Make a new one with createClient.', { code: 'client_closed' })
}
