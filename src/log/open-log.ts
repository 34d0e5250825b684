import type { ClientEvent } from '../client/events.ts'
import type { ClientOptions, LogLevel } from '../client/options.ts'
import { checkMethods, invalidOption } from '../errors/input.ts'
import type { Transport } from '../transport/transport.ts'
import { environment } from '../utils/runtime.ts'

const LEVELS = ['off', 'warn', 'info', 'debug']

/** The log that is asked for. What prints loads on demand. @throws InvalidRequestError for a level that does not exist, or no logger */
export function openLog({ logLevel, logger, onEvent }: ClientOptions) {
  const level = logLevel ?? environment('ETN_MARKET_LOG') ?? 'off'
  if (!LEVELS.includes(level))
    throw invalidOption(logLevel === undefined ? 'ETN_MARKET_LOG' : 'logLevel', level, LEVELS.join(', '))
  checkMethods('logger', logger, ['debug', 'info', 'warn'], 'an object with the methods debug, info and warn')
  if (level === 'off') return undefined
  const early: ClientEvent[] = []
  let print = (event: ClientEvent): unknown => early.push(event)
  const loading = import('./log-lines.ts').then(
    ({ createLogLines }) => {
      print = createLogLines(level as LogLevel, logger)
      early.forEach(print)
    },
    () => {
      // A page that is offline: nothing is printed.
      print = () => {}
    },
  )
  return {
    onEvent(event: ClientEvent): unknown {
      print(event)
      return onEvent?.(event)
    },
    /** Sends nothing before lines can be printed, so that those of a call are there when it ends. */
    behind: (transport: Transport): Transport => ({
      async send(attempt) {
        await loading
        return transport.send(attempt)
      },
    }),
  }
}
