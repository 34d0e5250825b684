import type { ErrorDetails } from '../errors/base.ts'
import { InvalidRequestError } from '../errors/input.ts'
import { StateUnavailableError } from '../errors/state.ts'

/** The first word of an error of the server, such as NOSCRIPT. The classes of such errors differ between clients. */
export function firstWord(error: unknown): string {
  const { message } = (error ?? {}) as { message?: unknown }
  return typeof message === 'string' ? (message.split(' ', 1)[0] ?? '') : ''
}

/** These errors state that the script was not executed. Another one may hide an execution. */
const NOT_EXECUTED: readonly string[] = [
  ...['NOTINITIALIZED', 'MISMATCH', 'OOM', 'READONLY', 'LOADING', 'MASTERDOWN', 'NOREPLICAS', 'BUSY', 'CROSSSLOT'],
  ...['CLUSTERDOWN', 'TRYAGAIN', 'NOAUTH', 'NOPERM', 'MISCONF'],
]

export function mayBeExecuted(error: unknown): boolean {
  return !NOT_EXECUTED.includes(firstWord(error))
}

/** The error of a call or a method whose command failed. */
export function toFleetError(
  error: unknown,
  fleet: { readonly name: string; readonly config: string },
  details: Omit<ErrorDetails, 'code'> = {},
): StateUnavailableError | InvalidRequestError {
  const subject = details.operation ? `${details.operation}: the` : 'The'
  const sent = details.attempts ? 'No further request was sent.' : 'Nothing was sent.'
  const word = firstWord(error)
  const name = `fleet "${fleet.name}"`
  if (word === 'MISMATCH') {
    const found = describe((error as Error).message.slice('MISMATCH '.length))
    return new InvalidRequestError(
      `${subject} ${name} has ${found}, but this member expects ${describe(fleet.config)}. ${sent} Give every member the same options, or choose another name.`,
      { ...details, code: 'fleet_mismatch' },
    )
  }
  const reason =
    word === 'NOTINITIALIZED'
      ? `has no state in Redis: it was never initialized, or Redis has lost its data. ${sent} Call initialize() on purpose, once.`
      : `cannot read or write its state in Redis. ${sent} Check Redis; the error's cause says what happened.`
  return new StateUnavailableError(`${subject} ${name} ${reason}`, { ...details, cause: error })
}

/** A configuration as the scripts keep it: limit, length of a window, slots. */
function describe(config: string): string {
  const [limit, windowMs, slots] = config.split(' ')
  const window = windowMs === '0' ? 'no windowMs' : `windowMs ${windowMs}`
  return `a budget of ${limit} credits, ${window} and heavyConcurrency ${slots}`
}
