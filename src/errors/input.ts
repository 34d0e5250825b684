import { EtnMarketError } from './base.ts'

/** A parameter or an option was not accepted: by this library before anything was sent, or by the service (400). Never charged. */
export class InvalidRequestError extends EtnMarketError {
  override get name(): string {
    return 'InvalidRequestError'
  }
}

/** A `limit` that is not a whole number from 1 to the route's maximum. Never charged. */
export class InvalidLimitError extends InvalidRequestError {
  override get name(): string {
    return 'InvalidLimitError'
  }
}

/** The error of an option that is not accepted; it names the option, the value and the rule. */
export function invalidOption(name: string, value: unknown, rule: string): InvalidRequestError {
  return new InvalidRequestError(`Invalid ${name}: ${String(value)}. It must be ${rule}.`, { code: 'invalid_option' })
}

/** A misspelt option could cost money, such as a budget that is none, so an unknown one is an error. */
export function refuseUnknown(what: string, options: object, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null)
    throw invalidOption(what, options, `an object with ${known.join(', ')}`)
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new InvalidRequestError(`Unknown ${what} "${unknown}". Known: ${known.join(', ')}.`, { code: 'invalid_option' })
}
