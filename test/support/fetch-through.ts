import type { Transport } from 'etn-market'
import type { ResponseHead } from '../../src/client/options.ts'
import { REQUEST_CONTEXT } from './request-context.ts'

/** What a test looks at of a response. */
export interface TransportResponse extends ResponseHead {
  /** Resolves to the body, or rejects with what broke it. */
  text(): Promise<string>
}

export interface TransportRequest {
  readonly headers?: HeadersInit
  readonly signal?: AbortSignal
  beforeSend?(): void
}

/** Sends a request through a transport as `fetch` does: resolves when the headers have arrived, and rejects when they do not. */
export function fetchThrough(transport: Transport) {
  return (url: string, { headers, signal, beforeSend = () => {} }: TransportRequest = {}): Promise<TransportResponse> =>
    new Promise((resolve, reject) => {
      const ended = transport.send({
        url,
        headers: Object.fromEntries(new Headers(headers)),
        context: REQUEST_CONTEXT,
        signal: signal ?? new AbortController().signal,
        beforeSend,
        onHeaders: ({ status, headers }) => resolve({ status, headers, text }),
      })
      const text = async () => {
        const { response, failure } = await ended
        if (failure) throw failure.cause
        return response.text ?? ''
      }
      ended.then(({ failure }) => failure && reject(failure.cause), reject)
    })
}
