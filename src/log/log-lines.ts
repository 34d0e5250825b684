import type { ClientEvent } from '../client/events.ts'
import type { Logger, LogLevel } from '../client/options.ts'
import { cleanLine } from '../utils/clean-line.ts'

const WARNINGS: readonly ClientEvent['type'][] = [
  'request.failed',
  'call.failed',
  'retry.scheduled',
  'cooldown.started',
  'credits.computed',
  'credits.uncertain',
  'credits.unclaimed',
  'credits.drift',
  'response.mismatch',
  'cache.failed',
  'key.exposed',
]

/** Prints a line for each event that the level includes. It throws nothing, whatever the logger does. */
export function createLogLines(level: LogLevel, logger: Logger = standardError()): (event: ClientEvent) => void {
  /** What the attempt under way of each request was charged, which its end does not say. */
  const charges = new Map<string, string>()

  function lineOf(event: ClientEvent): string {
    if (event.type !== 'request.succeeded' && event.type !== 'request.failed') return describe(event)
    const { operation, status, code, durationMs = 0, attempt, requestId } = event
    const charge = charges.get(requestId) ?? '0 credits'
    charges.delete(requestId)
    const outcome = [status, code].filter((word) => word !== undefined).join(' ')
    return `${operation} ${outcome}, ${Math.round(durationMs)} ms, ${charge}, request ${requestId}, attempt ${attempt}`
  }

  function print(event: ClientEvent): void {
    if (event.type === 'credits.charged' || event.type === 'credits.computed')
      charges.set(event.requestId, `${event.credits} credits`)
    if (event.type === 'credits.uncertain')
      charges.set(event.requestId, `up to ${event.credits} credits may be charged`)
    const line = cleanLine(`etn-market ${lineOf(event)}`)
    if (WARNINGS.includes(event.type)) logger.warn(line)
    else if (event.type === 'request.succeeded' && level !== 'warn') logger.info(line)
    else if (level === 'debug') logger.debug(line)
  }

  return (event) => {
    // Not by a function that clients have, too: a page's bundle would be split at what both parts need.
    try {
      print(event)
    } catch {
      // The logger is at fault, and the call goes on.
    }
  }
}

/** The type of an event and its other fields, such as `token.price retry.scheduled code=server_busy waitMs=500`. */
function describe({ type, ...fields }: ClientEvent): string {
  const { operation, ...rest } = fields as { readonly operation?: string }
  const details = Object.entries(rest).map(([name, value]) => {
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
    return `${name}=${text}`
  })
  return [operation, type, ...details].filter((word) => word !== undefined).join(' ')
}

/** Programs write their results to standard output. A page and an app have a console only: React Native shows an error of it on the whole screen. */
function standardError(): Logger {
  const { console, document, process } = globalThis as unknown as {
    console: Logger & { error(line: string): void }
    document?: object
    process?: { stdout?: object }
  }
  if (document !== undefined || process?.stdout === undefined) return console
  const print = (line: string) => console.error(line)
  return { debug: print, info: print, warn: print }
}
