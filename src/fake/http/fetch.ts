import { markAsFake } from '../../utils/fake-mark.ts'
import type { FakeFetch } from '../types.ts'
import type { Exchange } from './handle-request.ts'
import { connectionError, unexpectedRedirectError } from './network-errors.ts'
import type { IncomingRequest } from './receive-request.ts'
import { toResponse } from './web-response.ts'

/** The service as a `fetch`: without server and socket, with the same failures. */
export function createFetch(handle: (incoming: IncomingRequest) => Promise<Exchange>): FakeFetch {
  return markAsFake<FakeFetch>(async (input, init = {}) => {
    const incoming = readRequest(input, init)
    incoming.signal?.throwIfAborted()
    const exchange = await handle(incoming)
    const redirect = init.redirect ?? (input instanceof Request ? input.redirect : 'follow')
    if (exchange.delivery.kind === 'reset') return fail(exchange, connectionError('ECONNRESET'))
    if (redirect === 'error' && isRedirect(exchange)) return fail(exchange, unexpectedRedirectError())
    return toResponse(exchange, incoming.signal)
  })
}

function readRequest(input: Request | string | URL, init: RequestInit): IncomingRequest {
  const from = input instanceof Request ? input : undefined
  const url = from ? from.url : new URL(String(input), globalThis.location?.href).href
  const headers = init.headers ? new Headers(init.headers) : (from?.headers ?? new Headers())
  const signal = init.signal === undefined ? from?.signal : (init.signal ?? undefined)
  return { url, headers, signal, method: (init.method ?? from?.method ?? 'GET').toUpperCase() }
}

function fail(exchange: Exchange, error: TypeError): never {
  exchange.finish()
  throw error
}

/** The service does not redirect, but a fault can. The fake does not follow redirects. */
function isRedirect({ reply }: Exchange): boolean {
  return [301, 302, 303, 307, 308].includes(reply.status)
}
