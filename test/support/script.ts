import type { ClientOptions, FetchLike } from 'etn-market'

/** In the project `real-connection`, requests and answers go over real connections. */
const real =
  process.env.ETN_MARKET_TEST_REAL_CONNECTION === undefined ? undefined : await import('./real-connection.ts')

/** One request that reached the script. */
export interface Exchange {
  /** 1 for the first request. */
  readonly number: number
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  /** Whether it was aborted before it was answered. */
  readonly aborted: boolean
  readonly open: boolean
  answer(response: Response): void
  fail(error: unknown): void
}

/** Answers a request: with a response, an error to throw, or undefined to leave it open. */
export type Handler = (exchange: Exchange) => Response | Error | undefined

/** The part of a request that the script reads. */
export type ScriptedRequest = Pick<Request, 'method' | 'url' | 'headers' | 'signal'>

/** What a `fetch` was handed, as a request. */
export const scriptedRequest = (
  url: string,
  { method, headers, signal }: Parameters<FetchLike>[1],
): ScriptedRequest => ({
  method,
  url,
  headers: new Headers(headers),
  signal,
})

/** A request that the script has recorded. */
export interface Admitted {
  /** Calls the handler. */
  arrive(): void
  readonly answer: Promise<Response>
}

/** A service that answers as a test decides. */
export interface Script {
  /** The client options that reach it: a `fetch`, or a transport over real connections. */
  readonly options: Pick<ClientOptions, 'fetch' | 'transport'>
  /** Requests that were sent. */
  readonly requests: readonly Exchange[]
  /** How many of them have arrived. Over a real connection, one may be aborted before. */
  readonly arrived: number
  /** Requests that wait for an answer. */
  readonly open: readonly Exchange[]
  /** Requests that were not sent, because their signal had aborted. */
  readonly abortedBeforeSend: number
  /** The most that were open at once. */
  readonly peak: number
}

export interface ScriptOptions {
  /** The transport ignores the signal of a request. */
  ignoresAbort?: boolean
}

export function createScript(handler: Handler = () => undefined, { ignoresAbort = false }: ScriptOptions = {}): Script {
  const requests: Exchange[] = []
  const open = new Set<Exchange>()
  let abortedBeforeSend = 0
  let arrived = 0
  let peak = 0

  /** Records a request. */
  const admit = (request: ScriptedRequest): Admitted => {
    const { signal } = request
    if (!ignoresAbort && signal.aborted) {
      abortedBeforeSend++
      return { arrive: () => {}, answer: Promise.reject(signal.reason) }
    }
    let resolve: (response: Response) => void = () => {}
    let reject: (reason: unknown) => void = () => {}
    const answer = new Promise<Response>((onResolve, onReject) => {
      resolve = onResolve
      reject = onReject
    })
    let aborted = false
    const end = (act: () => void) => {
      open.delete(exchange)
      signal.removeEventListener('abort', onAbort)
      act()
    }
    const onAbort = () => {
      aborted = true
      if (!ignoresAbort) end(() => reject(signal.reason))
    }
    const exchange: Exchange = {
      number: requests.length + 1,
      method: request.method,
      url: new URL(request.url),
      headers: request.headers,
      get aborted() {
        return aborted
      },
      get open() {
        return open.has(exchange)
      },
      answer: (response) => end(() => resolve(response)),
      fail: (error) => end(() => reject(error)),
    }
    signal.addEventListener('abort', onAbort, { once: true })
    requests.push(exchange)
    open.add(exchange)
    peak = Math.max(peak, open.size)
    const arrive = () => {
      arrived++
      const answered = handler(exchange)
      if (answered instanceof Error) exchange.fail(answered)
      else if (answered !== undefined) exchange.answer(answered)
    }
    return { arrive, answer }
  }

  const fetch: FetchLike = (url, init) => {
    const { arrive, answer } = admit(scriptedRequest(url, init))
    arrive()
    return answer
  }

  return {
    options: real ? { transport: real.createRealTransport(admit, ignoresAbort) } : { fetch },
    requests,
    get arrived() {
      return arrived
    },
    get open() {
      return [...open]
    },
    get abortedBeforeSend() {
      return abortedBeforeSend
    },
    get peak() {
      return peak
    },
  }
}
