import type { ClientOptions } from '../client/options.ts'
import { type CancellationSignal, raceWithAbort } from '../concurrency/cancellation.ts'
import { AuthenticationError } from '../errors/api.ts'
import { InvalidRequestError } from '../errors/input.ts'
import type { Redactor } from '../errors/redact.ts'
import { isFake, isFakeKey } from '../utils/fake-mark.ts'
import { environment } from '../utils/runtime.ts'
import type { Emit } from './send.ts'

/** The key for a request; empty to send none. */
export type ApiKeySource = (signal: CancellationSignal) => string | Promise<string>

/** Reads the key of each request from the option. Each key is redacted from errors and events from then on. */
export function createApiKeySource(
  { apiKey: option, fetch }: ClientOptions,
  redactor: Redactor,
  isPublicService: () => boolean,
): ApiKeySource {
  if (typeof option === 'function') {
    return async (signal) => accept(await raceWithAbort(ask(option), signal), redactor)
  }
  const given = option ?? environment('ETN_MARKET_API_KEY')
  const key = given === undefined ? '' : accept(given, redactor)
  // A fake is no public service.
  const isNeeded = key === '' && !isFake(fetch)
  return () => {
    if (isNeeded && isPublicService()) throw missingKey()
    return key
  }
}

function missingKey(): AuthenticationError {
  const message =
    'The public service needs an API key, and there is none: set the environment variable ETN_MARKET_API_KEY, or pass apiKey to createClient. Nothing was sent. Guide: https://github.com/etn-market/etn-market/blob/main/src/GUIDE.md#get-a-key'
  return new AuthenticationError(message, { code: 'api_key_missing' })
}

async function ask(source: () => string | Promise<string>): Promise<unknown> {
  try {
    return await source()
  } catch (cause) {
    const message = 'The function that was passed as apiKey failed, so the request was not sent.'
    throw new AuthenticationError(message, { code: 'api_key_unavailable', cause })
  }
}

/** Checks a key here, because `fetch` quotes an invalid header value in its error. */
function accept(value: unknown, redactor: Redactor): string {
  const key = typeof value === 'string' ? value.trim() : ''
  if (key !== '') redactor.add(key)
  if (!/^[\x21-\x7e]+$/.test(key)) {
    const message = 'The apiKey must be a text of printable ASCII characters without spaces. It is not shown here.'
    throw new InvalidRequestError(message, { code: 'invalid_option' })
  }
  return key
}

/** Warns once for each client that visitors can read a key in a page: through its listener, or else on the console. */
export function warnInPage({ apiKey, fetch, onEvent }: ClientOptions, emit: Emit | undefined): void {
  const { window, document, console } = globalThis as {
    window?: object
    document?: object
    console?: Pick<Console, 'warn'>
  }
  if (apiKey === undefined || window === undefined || document === undefined) return
  // Tests imitate a page, too.
  if (isFake(fetch) || isFakeKey(apiKey)) return
  const message =
    'etn-market: this page holds an API key that every visitor can read and spend. Add the key in a proxy of your own, and pass its address to createClient({ baseUrl }).'
  emit?.({ type: 'key.exposed', message })
  if (onEvent === undefined) console?.warn(message)
}
