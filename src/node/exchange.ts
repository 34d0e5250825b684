import type { IncomingMessage } from 'node:http'
import type { FetchResponse } from '../options.ts'
import { idleMs, type Way } from './agents.ts'
import { type Body, collect } from './body.ts'
import { type Coding, codingsOf } from './decode.ts'
import { failed } from './failure.ts'
import { lookUp } from './headers.ts'
import type { Target } from './target.ts'

/** Statuses whose answers have no body, whatever follows their headers. */
const NULL_BODY = [204, 205, 304]

/** One request on a connection of the agent. Resolves when the headers of its answer are there. */
export function exchange(
  { agent, request: start }: Way,
  { hostname, port, path, secure }: Target,
  headers: string[],
  signal: AbortSignal | undefined,
): Promise<FetchResponse> {
  return new Promise((resolve, reject) => {
    let body: Body | undefined
    let trouble: Error | undefined

    const release = () => signal?.removeEventListener('abort', onAbort)
    const fail = (reason: unknown) => {
      release()
      if (body === undefined) reject(reason)
      else body.fail(reason)
    }
    const onAbort = () => {
      fail(signal?.reason)
      request.destroy()
    }
    const onResponse = (response: IncomingMessage) => {
      const { rawHeaders, statusCode = 0 } = response
      let codings: readonly Coding[] | null
      try {
        codings = NULL_BODY.includes(statusCode) ? null : codingsOf(lookUp(rawHeaders, 'content-encoding'))
      } catch (error) {
        fail(failed('fetch failed', error))
        request.destroy()
        return
      }
      const idle = idleMs(lookUp(rawHeaders, 'keep-alive'))
      if (response.socket.timeout !== idle) response.socket.setTimeout(idle)
      body = collect(response, codings, release)
      // Whether the body is whole, the response knows: a connection may break when everything is there. Why not, the request.
      response.on('error', (error) => fail(failed('terminated', trouble ?? error)))
      resolve({
        status: statusCode,
        headers: { get: (name) => lookUp(rawHeaders, name.toLowerCase()) },
        body,
        text: body.text,
      })
    }

    const protocol = secure ? 'https:' : 'http:'
    const request = start({ agent, protocol, hostname, port, path, headers })
    request.maxHeadersCount = 0
    request.on('response', onResponse)
    request.on('error', (error) => {
      trouble = error
      if (body === undefined) fail(failed('fetch failed', error))
    })
    request.on('close', () => {
      if (body === undefined) fail(failed('fetch failed', hungUp()))
    })
    signal?.addEventListener('abort', onAbort)
    request.end()
  })
}

const hungUp = () => Object.assign(new Error('The connection ended without an answer'), { code: 'ECONNRESET' })
