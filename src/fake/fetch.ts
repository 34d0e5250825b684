import type { Exchange } from './answer.ts'
import type { Incoming } from './arrive.ts'
import { connectionError, redirected } from './network.ts'
import { playAsResponse } from './web-response.ts'

/** `fetch`, as clients take it. */
export type FakeFetch = (input: Request | string | URL, init?: RequestInit) => Promise<Response>

/** The service as a `fetch`: no server, no socket, the same failures. */
export function createFetch(answer: (incoming: Incoming) => Promise<Exchange>): FakeFetch {
  return async (input, init = {}) => {
    const incoming = read(input, init)
    incoming.signal?.throwIfAborted()
    const exchange = await answer(incoming)
    const redirect = init.redirect ?? (input instanceof Request ? input.redirect : 'follow')
    if (exchange.ending.kind === 'reset') return broken(exchange, connectionError('ECONNRESET'))
    if (redirect === 'error' && isRedirect(exchange)) return broken(exchange, redirected())
    return playAsResponse(exchange, incoming.signal)
  }
}

function read(input: Request | string | URL, init: RequestInit): Incoming {
  const from = input instanceof Request ? input : undefined
  const url = from ? from.url : new URL(String(input), globalThis.location?.href).href
  const headers = init.headers ? new Headers(init.headers) : (from?.headers ?? new Headers())
  const signal = init.signal === undefined ? from?.signal : (init.signal ?? undefined)
  return { url, headers, signal, method: (init.method ?? from?.method ?? 'GET').toUpperCase() }
}

function broken(exchange: Exchange, error: TypeError): never {
  exchange.finish()
  throw error
}

/** The service does not redirect, but a fault may; where that leads is not the fake's to fetch. */
function isRedirect({ reply }: Exchange): boolean {
  return [301, 302, 303, 307, 308].includes(reply.status)
}
