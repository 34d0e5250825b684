import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { MarketProxy } from 'etn-market/proxy'

/** Express takes the path that a handler is mounted at off `url`, and keeps the whole in `originalUrl`. */
export type NodeRequest = IncomingMessage & { originalUrl?: string }

/** A request of `node:http` as the standard one. */
export function toRequest(
  { method = 'GET', headers, url, originalUrl = url }: NodeRequest,
  signal?: AbortSignal,
): Request {
  const lines = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
  return new Request(`http://${headers.host}${originalUrl}`, { method, headers: lines, ...(signal && { signal }) })
}

/** The proxy as a handler of `node:http`, Express or Connect. */
export function toNodeHandler(proxy: MarketProxy) {
  return async (request: NodeRequest, response: ServerResponse): Promise<void> => {
    const left = new AbortController()
    response.on('close', () => left.abort())
    const answer = await proxy(toRequest(request, left.signal))
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    // The headers of a stream are sent before its first event.
    response.flushHeaders()
    // It fails when the visitor leaves.
    await pipeline(answer.body ?? [], response).catch(() => response.destroy())
  }
}
