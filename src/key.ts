import { type Cancel, orAborted } from './abort.ts'
import { AuthenticationError } from './errors/api.ts'
import { InvalidRequestError } from './errors/input.ts'
import type { Redactor } from './errors/redact.ts'
import type { Emit } from './events.ts'
import type { ClientOptions } from './options.ts'

/** A variable of the environment, where there is one that may be read. */
export function environment(name: string): string | undefined {
  try {
    const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
    return process?.env?.[name] || undefined
  } catch {
    return undefined
  }
}

/** Where the key of each request comes from. Every key it hands out is kept out of errors and events from then on. */
export function createKeySource(
  option: ClientOptions['apiKey'],
  redactor: Redactor,
): (signal: Cancel) => string | undefined | Promise<string | undefined> {
  if (typeof option === 'function') {
    return async (signal) => accept(await orAborted(ask(option), signal), redactor)
  }
  const given = option ?? environment('ETN_MARKET_API_KEY')
  const key = given === undefined ? undefined : accept(given, redactor)
  return () => key
}

async function ask(source: () => string | Promise<string>): Promise<unknown> {
  try {
    return await source()
  } catch (cause) {
    const message = 'The function given as apiKey failed. Nothing was sent.'
    throw new AuthenticationError(message, { code: 'api_key_unavailable', cause })
  }
}

/** A key that cannot stand in a header would be quoted by the error that fetch makes of it. */
function accept(value: unknown, redactor: Redactor): string {
  const key = typeof value === 'string' ? value.trim() : ''
  if (key !== '') redactor.add(key)
  if (!/^[\x21-\x7e]+$/.test(key)) {
    const message = 'The apiKey must be a text of printable ASCII characters without spaces. It is not shown here.'
    throw new InvalidRequestError(message, { code: 'invalid_option' })
  }
  return key
}

/** A key in a page is everybody's key. Said once for each client, to its listener, or else on the console. */
export function warnInPage({ apiKey, onEvent }: ClientOptions, emit: Emit): void {
  const { window, document, console } = globalThis as {
    window?: object
    document?: object
    console?: Pick<Console, 'warn'>
  }
  if (apiKey === undefined || window === undefined || document === undefined) return
  const message =
    'etn-market: this page holds an API key that every visitor can read and spend. Let a proxy of yours add the key, and hand createClient({ baseUrl }) the address of that proxy.'
  emit({ type: 'key.exposed', message })
  if (onEvent === undefined) console?.warn(message)
}
