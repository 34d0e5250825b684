import { CommanderError } from 'commander'
import type { EtnMarketError, PartialBatchError } from 'etn-market'
import { isEtnMarketError } from '../errors/base.ts'
import { nearestName } from '../utils/nearest.ts'
import { messageOf } from '../utils/runtime.ts'

export const EXIT = { ok: 0, refused: 1, usage: 2, service: 3, interrupted: 130, terminated: 143 } as const

/** Fields that `--json` prints beside the code and the message. */
type Details = Readonly<Record<string, unknown>>

/** An error of the program itself. The message is one line for people. */
export class CommandError extends Error {
  readonly code: string
  readonly exitCode: number
  readonly details: Details

  constructor(message: string, code: string, exitCode: number, cause?: unknown, details: Details = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.exitCode = exitCode
    this.details = details
  }
}

export function usageError(message: string, cause?: unknown): CommandError {
  return new CommandError(message, 'invalid_usage', EXIT.usage, cause)
}

export function refusal(message: string, code: string): CommandError {
  return new CommandError(message, code, EXIT.refused)
}

/** Signals that end the program: Ctrl-C, what stops a service, and a terminal that is closed. */
export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export type Signal = (typeof SIGNALS)[number]

export class Interrupted extends CommandError {
  constructor(signal: Signal) {
    super('interrupted', 'interrupted', signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated)
  }
}

/** A sentence with the nearest of the known values, or with all of them. */
export function didYouMean(typed: string, known: readonly string[]): string {
  const nearest = nearestName(typed, known)
  return nearest === undefined ? `Known: ${known.join(', ')}.` : `Did you mean ${nearest}?`
}

type Failure = Details & { readonly code: string; readonly message: string; readonly exitCode: number }

export function describeFailure(error: unknown): Failure {
  if (error instanceof CommandError) {
    const { code, message, exitCode, details } = error
    return { ...details, code, message, exitCode }
  }
  if (error instanceof CommanderError) {
    const message = error.message.replace(/^error: /, '').replace(/\n\((Did you mean .*)\)$/, '. $1')
    const isUnknown = error.code === 'commander.unknownCommand' && !message.includes('Did you mean')
    const hint = isUnknown ? '. `etn-market --help` lists the commands.' : ''
    return { code: 'invalid_usage', message: message + hint, exitCode: EXIT.usage }
  }
  if (isEtnMarketError(error)) return describeClientError(error)
  return { code: 'failed', message: messageOf(error), exitCode: EXIT.refused }
}

function describeClientError(error: EtnMarketError): Failure {
  const { code, operation, status, charge, credits, retryAfterMs } = error
  const message = error.message
    .replace(/Pass a valid key to createClient.*$/, 'Check ETN_MARKET_API_KEY, or the file that --key-file names.')
    .replace(/The key has no permission for this\.$/, 'The key has no permission for this: use another key.')
    .replaceAll('baseUrl', '--base-url')
  // What was paid for is not lost with the error.
  const { missing, prices } = error as Partial<PartialBatchError>
  const details = { operation, status, charge, credits, retryAfterMs, missing, prices }
  const known = Object.entries(details).filter(([, value]) => value !== undefined)
  return { code, message, exitCode: exitCodeOf(error), ...Object.fromEntries(known) }
}

const REFUSALS = [
  ...['ApiError', 'AuthenticationError', 'PermissionError', 'InsufficientCreditsError', 'NotFoundError'],
  ...['BudgetExceededError', 'FileStoreError', 'StateUnavailableError'],
]

/** The service is in trouble, or it refuses; what was never sent is wrong usage. */
export function exitCodeOf(error: EtnMarketError): number {
  const [first] = error.name === 'PartialBatchError' ? (error as PartialBatchError).errors : []
  if (first !== undefined) return exitCodeOf(first)
  if (/^Invalid(Request|Limit)Error$/.test(error.name)) return error.status === undefined ? EXIT.usage : EXIT.refused
  return REFUSALS.includes(error.name) ? EXIT.refused : EXIT.service
}
