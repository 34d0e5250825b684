/**
 * The fake service as request handlers for msw.
 *
 * @module etn-market/msw
 */

import { HttpResponse, http } from 'msw'
import { isConnectionError } from '../fake/http/fetch.ts'
import type { FakeService } from '../fake/index.ts'
import { checkFunctions, checkOptions, readBaseUrl } from '../fake/rules/check.ts'
import * as is from '../fake/rules/schema.ts'

/** Options of `mswHandlers`. */
export interface MswHandlersOptions {
  /** The base URL that your code calls. @default that of the fake, which is the public service's unless it was given another */
  baseUrl?: string | undefined
}

/**
 * The fake service as handlers for msw, in Node (`setupServer`) and in a browser (`setupWorker`): everything under the base
 * URL is answered by the fake, faults included. A connection that breaks is msw's network error, whatever broke it.
 *
 * @example
 * const fake = createFakeService()
 * const server = setupServer(...mswHandlers(fake))
 * server.listen()
 * await createClient({ apiKey: fake.key }).etn.price()
 * server.close()
 */
export function mswHandlers(fake: FakeService, options: MswHandlersOptions = {}): ReturnType<typeof http.all>[] {
  checkFunctions('fake', 'a fake that createFakeService made', fake, ['fetch', 'fault'])
  checkOptions('mswHandlers', is.object({ baseUrl: {} }), options)
  const base = readBaseUrl(options.baseUrl ?? fake.baseUrl)
  return [
    http.all(`${base}/*`, async ({ request }) => {
      const { method, headers, signal } = request
      // The fake keeps the object that it gets a signal in, and with it the request: see `IncomingRequest.owner`.
      const init = { method, headers, signal, request }
      try {
        return await fake.fetch(fake.baseUrl + request.url.slice(base.length), init)
      } catch (error) {
        // The caller gave up, or the connection broke. Anything else is a mistake in a fault's own function: msw reports it.
        if (signal.aborted || isConnectionError(error)) return HttpResponse.error()
        throw error
      }
    }),
  ]
}
