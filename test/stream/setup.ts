import type { FeedPrice } from 'etn-market/feed'
import type { ProxyOptions } from 'etn-market/proxy'
import { createPriceStream, type PriceStream, type PriceStreamOptions } from 'etn-market/stream'
import { BASE } from '../proxy/setup.ts'
import { setupStream } from '../proxy/stream-setup.ts'
import { type Browser, createBrowser, type Tab } from '../support/browser.ts'
import { onCaseFinished } from '../support/property.ts'

export const SECOND = 1_000
export const MINUTE = 60_000

type Answer = (url: string) => Response | Promise<Response> | undefined

/** A page that shows prices. */
export interface Page {
  readonly stream: PriceStream
  readonly tab: Tab
  readonly prices: FeedPrice[]
  readonly errors: string[]
  /** The queries of the streams that this page has opened. */
  readonly opened: string[]
  /** Watches, and keeps what arrives. */
  show(addresses: string | readonly string[], everyMs?: number): { stop(): void }
}

/** A proxy in virtual time, and pages in the tabs of one browser. `answer` may reply in place of the proxy, or reject. */
export function setupPages(options: Partial<ProxyOptions> = {}, answer: Answer = () => undefined) {
  const made = setupStream({}, options)
  const browser: Browser = createBrowser()
  const openPage = (streamOptions: Partial<PriceStreamOptions> = {}): Page => {
    const tab = browser.openTab()
    const opened: string[] = []
    const prices: FeedPrice[] = []
    const errors: string[] = []
    const stream = tab.run(() =>
      createPriceStream({
        url: BASE,
        clock: made.clock,
        async fetch(url, { headers, signal }) {
          tab.signal.throwIfAborted()
          opened.push(new URL(url).search)
          const request = new Request(url, { headers, signal: AbortSignal.any([signal, tab.signal]) })
          const response = (await answer(url)) ?? (await made.proxy(request))
          request.signal.throwIfAborted()
          return response
        },
        ...streamOptions,
      }),
    )
    onCaseFinished(() => stream.close())
    return {
      stream,
      tab,
      prices,
      errors,
      opened,
      show: (addresses, everyMs = 10 * SECOND) =>
        stream.watch(addresses, {
          everyMs,
          onPrice: (price) => void prices.push(price),
          onError: (error) => void errors.push((error as { code: string }).code),
        }),
    }
  }
  return { ...made, browser, openPage }
}
