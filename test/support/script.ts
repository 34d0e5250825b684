import type { FetchLike } from 'etn-market'

/** Where a test run asks for it, requests and answers go over real connections. */
const wire = process.env.ETN_MARKET_TEST_WIRE === undefined ? undefined : await import('./wire.ts')

/** One request that reached the script. */
export interface Exchange {
  /** 1 for the first request. */
  readonly number: number
  readonly url: URL
  readonly headers: Headers
  readonly init: RequestInit
  /** Whether the caller gave up before it was answered. */
  readonly aborted: boolean
  readonly open: boolean
  answer(response: Response): void
  fail(error: unknown): void
}

/** What a request is answered with: a response, an error to throw, or undefined to leave it open. */
export type Handler = (exchange: Exchange) => Response | Error | undefined

/** A service that does what a test says, as a `fetch`. */
export interface Script {
  readonly fetch: FetchLike
  /** Requests that went out. */
  readonly requests: readonly Exchange[]
  /** Those of them that wait for an answer. */
  readonly open: readonly Exchange[]
  /** Calls of `fetch` whose signal had been aborted before: nothing went out. */
  readonly stillborn: number
  /** The most that were open at once. */
  readonly peak: number
}

export interface ScriptOptions {
  /** A fetch that does not listen to its signal. */
  deaf?: boolean
}

export function createScript(handler: Handler = () => undefined, { deaf = false }: ScriptOptions = {}): Script {
  const requests: Exchange[] = []
  let stillborn = 0
  let peak = 0
  const open = () => requests.filter((exchange) => exchange.open)

  /** Takes note of a request that goes out, and tells what to do when it arrives. */
  const admit = (
    url: string,
    init: RequestInit,
    resolve: (response: Response) => void,
    reject: (error: unknown) => void,
  ) => {
    const { signal } = init
    if (!deaf && signal?.aborted) {
      stillborn++
      reject(signal.reason)
      return () => {}
    }
    const state = { open: true, aborted: false }
    const end = (act: () => void) => {
      state.open = false
      signal?.removeEventListener('abort', onAbort)
      act()
    }
    const onAbort = () => {
      state.aborted = true
      if (!deaf) end(() => reject(signal?.reason))
    }
    const exchange: Exchange = {
      number: requests.length + 1,
      url: new URL(url),
      headers: new Headers(init.headers),
      init,
      get aborted() {
        return state.aborted
      },
      get open() {
        return state.open
      },
      answer: (response) => end(() => resolve(response)),
      fail: (error) => end(() => reject(error)),
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    requests.push(exchange)
    peak = Math.max(peak, open().length)
    return () => {
      const answer = handler(exchange)
      if (answer instanceof Error) exchange.fail(answer)
      else if (answer !== undefined) exchange.answer(answer)
    }
  }

  const fetch: FetchLike = (url, init) => {
    let arrive = () => {}
    const answer = new Promise<Response>((resolve, reject) => {
      arrive = admit(url, init, resolve, reject)
    })
    if (wire !== undefined) return wire.carry({ url, init: deaf ? { ...init, signal: null } : init, arrive, answer })
    arrive()
    return answer
  }

  return {
    fetch,
    requests,
    get open() {
      return open()
    },
    get stillborn() {
      return stillborn
    },
    get peak() {
      return peak
    },
  }
}
