import type { FeedPrice } from 'etn-market/feed'
import type { ProxyOptions, ProxyStreamOptions } from 'etn-market/proxy'
import { createPriceStream, type PriceStream, type PriceStreamOptions } from 'etn-market/stream'
import { BASE } from '../proxy/setup.ts'
import { setupStream } from '../proxy/stream-setup.ts'
import { onCaseFinished } from '../support/property.ts'

export const SECOND = 1_000
export const MINUTE = 60_000

type Answer = (url: string) => Response | Promise<Response> | undefined

/** A page that shows prices. */
export interface Page {
  readonly stream: PriceStream
  readonly prices: FeedPrice[]
  readonly errors: string[]
  /** The queries of the streams that this page has opened. */
  readonly opened: string[]
  /** Watches, and keeps what arrives. */
  show(addresses: string | readonly string[], everyMs?: number | undefined): { stop(): void }
}

/** A proxy in virtual time at a pace of ten seconds, and pages. `answer` may reply in place of the proxy, or reject. */
export function setupPages(
  options: Partial<ProxyOptions> = {},
  answer: Answer = () => undefined,
  streamOptions: ProxyStreamOptions = {},
) {
  const made = setupStream({ everyMs: 10 * SECOND, ...streamOptions }, options)
  const openPage = (pageOptions: Partial<PriceStreamOptions> = {}): Page => {
    const opened: string[] = []
    const prices: FeedPrice[] = []
    const errors: string[] = []
    const stream = createPriceStream({
      url: BASE,
      clock: made.clock,
      async fetch(url, { headers, signal }) {
        opened.push(new URL(url).search)
        const request = new Request(url, { headers, signal })
        const response = (await answer(url)) ?? (await made.proxy(request))
        request.signal.throwIfAborted()
        return response
      },
      ...pageOptions,
    })
    onCaseFinished(() => stream.close())
    return {
      stream,
      prices,
      errors,
      opened,
      show: (addresses, everyMs) =>
        stream.watch(addresses, {
          everyMs,
          onPrice: (price) => void prices.push(price),
          onError: (error) => void errors.push((error as { code: string }).code),
        }),
    }
  }
  return { ...made, openPage }
}
