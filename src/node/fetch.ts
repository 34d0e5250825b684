import { ASYNC_DISPOSE } from '../dispose.ts'
import type { FetchResponse } from '../options.ts'
import { createWays, type Way } from './agents.ts'
import { exchange } from './exchange.ts'
import { failed } from './failure.ts'
import { headerLines } from './header-lines.ts'
import { createTargets } from './target.ts'

/** A `fetch` on connections of its own. Sends what the client sends: GET, and redirects come back as they are. */
export interface NodeFetch {
  /**
   * Resolves when the headers are there; `text()` gives the decoded body. Rejects as Node's own fetch does: with the signal's
   * reason, or with a TypeError whose `cause` has a `code`. Nothing is sent twice.
   */
  (url: string, init?: RequestInit): Promise<FetchResponse>
  /** Ends all connections, also those in use, and resolves when they are gone. Calls from then on reject and send nothing. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * A `fetch` for `createClient` on the keep-alive agents of `node:http` and `node:https`, for a fraction of the CPU of Node's own,
 * which makes streams and objects that the client does not need. Speaks HTTP/1.1, decodes gzip, deflate and brotli, and ends
 * what goes wrong as Node's fetch does. Clients may share one. Idle connections close after 4 seconds, or when the server says, and
 * do not keep the process alive.
 *
 * What it resolves to is not a whole `Response`: `status`, `headers.get`, `text` and `body.cancel`.
 *
 * @example
 * const fetch = createNodeFetch()
 * const client = createClient({ fetch })
 * await client.etn.price()
 * await client.close()
 * await fetch.close()
 */
export function createNodeFetch(): NodeFetch {
  const targetOf = createTargets()
  const ways = createWays()
  let plain: Way | undefined
  let secure: Way | undefined
  let closed = false

  const send = (url: string, init: RequestInit = {}): Promise<FetchResponse> => {
    const { signal, headers } = init
    try {
      if (signal?.aborted) return Promise.reject(signal.reason)
      if (closed) throw notSent('This fetch was closed')
      checkInit(init)
      const target = targetOf(url)
      if (target.secure) secure ??= ways.secure()
      else plain ??= ways.plain()
      const way = (target.secure ? secure : plain) as Way
      return exchange(way, target, headerLines(target, headers), signal ?? undefined)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  const close = async () => {
    closed = true
    await ways.close()
  }

  return Object.assign(send, { close, [ASYNC_DISPOSE]: close })
}

/** Refused here: the code tells the client that nothing was sent. */
const notSent = (message: string) => failed('fetch failed', Object.assign(new Error(message), { code: 'ERR_NO_FETCH' }))

function checkInit({ method, body, redirect }: RequestInit): void {
  if (method !== undefined && method !== 'GET') throw notSent(`This fetch sends GET alone, not ${method}`)
  if (body !== undefined && body !== null) throw notSent('This fetch sends no body')
  if (redirect !== 'manual') throw notSent("This fetch follows no redirect: it needs { redirect: 'manual' }")
}
