import { type Cancel, orAborted } from '../abort.ts'
import type { Clock } from '../clock.ts'
import type { Account } from '../credits/account.ts'
import type { Budget } from '../credits/budget.ts'
import { EtnMarketError } from '../errors/base.ts'
import type { Emit } from '../events.ts'
import { operations } from '../generated/operations.ts'
import type { Operation } from '../operation.ts'
import type { FreeSlot } from '../slots.ts'
import type { Cache } from './cache.ts'
import { chargeOf, creditsHeader } from './charge.ts'
import { cooldownOf, refuseToWait } from './cooldown.ts'
import { decode, parseJson } from './decode.ts'
import type { Lane } from './lane.ts'
import { isRetryable, pauseBeforeRetry } from './retry.ts'
import { retryAfterMs } from './retry-after.ts'
import { settle } from './settle.ts'
import type { Transport } from './transport.ts'
import { type CooldownScope, type Envelope, isSuccess, type Journey, type Reply } from './types.ts'
import { isUnexpected, reportMismatch } from './validate.ts'

/** The parts of a client that a request passes through. */
export interface SendContext {
  readonly clock: Clock
  readonly budget: Budget
  readonly account: Account
  readonly lane: Lane
  readonly transport: Transport
  readonly cache: Cache | undefined
  readonly emit: Emit
  readonly baseUrl: string
  /** The key to send; undefined to send none. */
  apiKey(signal: Cancel): string | undefined | Promise<string | undefined>
}

/** ONE CHARGED REQUEST: slot -> lane -> transport -> charge -> settle -> decode -> keep, and again if retried. */
export async function send(journey: Journey, context: SendContext): Promise<Envelope> {
  const { settings, part, tally, signal, slots } = journey
  let freeSlot: FreeSlot | undefined
  try {
    if (slots !== undefined) freeSlot = await slots.take(signal)
    for (let number = 1; ; number++) {
      try {
        const envelope = await attemptOnce(number, journey, context)
        context.cache?.keep(part, envelope)
        return envelope
      } catch (cause) {
        journey.reservation.release()
        if (number > settings.retryLimit || !isRetryable(cause)) throw cause
        await pauseBeforeRetry(cause, number, journey, context.clock, context.emit)
        // A further attempt is paid from credits of its own: those of a lost one stay blocked.
        journey.reservation = context.budget.reserve(part.cost.max, { ...tally, operation: part.operation, cause })
      }
    }
  } finally {
    journey.reservation.release()
    freeSlot?.()
  }
}

async function attemptOnce(number: number, journey: Journey, context: SendContext): Promise<Envelope> {
  const { part, settings, signal, tally } = journey
  const { clock, lane, emit, account } = context
  const { operation } = part
  const { heavy, keyless }: Operation = operations[operation]
  const asked = keyless ? undefined : context.apiKey(signal)
  const apiKey = asked instanceof Promise ? await asked : asked
  const key = apiKey ?? ''
  const refuse = (scope: CooldownScope, waitMs: number) => refuseToWait(scope, waitMs, journey, clock.now())
  const entered = lane.enter({ heavy: heavy === true, key, signal, again: number > 1, refuse })
  const pass = entered instanceof Promise ? await entered : entered
  let reply: Reply | undefined
  try {
    emit({ type: 'request.sent', operation, attempt: number })
    // Whoever listens may have aborted the call.
    if (signal.aborted) {
      emit({ type: 'request.failed', operation, attempt: number, durationMs: 0, code: 'aborted' })
      throw signal.reason
    }
    tally.attempts++
    const startedAt = clock.now()
    const sent = account.noteSent()

    const end = await context.transport({
      url: context.baseUrl + part.path,
      apiKey,
      timeoutMs: settings.timeoutMs,
      signal,
    })

    reply = end.reply ?? end.loss.reply
    const body = parseJson(end.reply?.text)
    const remaining = reply && creditsHeader(reply.headers, 'x-credits-remaining')
    if (remaining !== undefined) account.noteRemaining(sent, remaining)
    settle(chargeOf(part, end, body), journey, remaining, account, emit)

    const ended = {
      operation,
      attempt: number,
      durationMs: clock.now() - startedAt,
      ...(reply && { status: reply.status }),
    }
    try {
      if (end.loss?.kind === 'aborted') throw signal.reason
      const waitMs = reply && !isSuccess(reply.status) ? retryAfterMs(reply.headers, clock.now()) : undefined
      const envelope = decode(part, end, body, waitMs, settings.timeoutMs, tally)
      if (isUnexpected(operation, envelope, settings.validate)) {
        await orAborted(reportMismatch(operation, envelope, settings.validate, emit, tally), signal)
      }
      emit({ type: 'request.succeeded', ...ended })
      pass.close('succeeded')
      return envelope
    } catch (error) {
      emit({ type: 'request.failed', ...ended, code: error instanceof EtnMarketError ? error.code : 'aborted' })
      const cooldown = cooldownOf(error)
      if (cooldown !== undefined) {
        const waitMs = pass.refuse(cooldown.scope, cooldown.waitMs)
        emit({ type: 'cooldown.started', operation, scope: cooldown.scope, waitMs })
      } else if (isAnswered(reply)) pass.close('succeeded')
      throw error
    }
  } finally {
    pass.close('failed')
  }
}

/** Whether the service served the request, so that a probe has found it open. */
function isAnswered(reply: Reply | undefined): boolean {
  return reply !== undefined && reply.status < 500 && reply.status !== 408
}
