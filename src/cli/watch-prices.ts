import { isEtnMarketError } from 'etn-market'
import type { FeedPrice, PriceFeed } from 'etn-market/feed'
import type { PriceRow } from './price-table.ts'
import type { Session } from './session.ts'

/** How a watch shows its prices. */
export interface WatchView {
  /** Draws the table again in place; otherwise each row is printed. */
  readonly isLive: boolean
  onRow(row: PriceRow): void
  toLines(rows: readonly PriceRow[]): string[]
}

const REDRAW_MS = 1_000

/** Shows prices as they change until the signal aborts. @throws the client's error if no later request can succeed */
export async function watchPrices(
  session: Session,
  feed: PriceFeed,
  addresses: readonly string[],
  everyMs: number,
  toRow: (price: FeedPrice) => PriceRow,
  view: WatchView,
): Promise<void> {
  let fail: (reason: unknown) => void = () => {}
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  // It may fail after the watch has ended, when nobody waits for it any more.
  failed.catch(() => {})
  const rows = new Map<string, PriceRow>()
  const lines = view.isLive ? session.startLiveLines(session.host.stdout) : undefined
  const draw = () => {
    const known = addresses.flatMap((address) => rows.get(address) ?? [])
    lines?.draw(view.toLines(known))
  }
  const timer = lines && setInterval(draw, REDRAW_MS)
  const watch = feed.watch(addresses, {
    everyMs,
    onPrice(price) {
      const row = toRow(price)
      rows.set(price.address, row)
      if (lines) draw()
      else view.onRow(row)
    },
    onError(error) {
      if (isFinal(error)) fail(error)
      else session.note(`warning: ${error instanceof Error ? error.message : String(error)}`)
    },
  })
  const onAbort = () => fail(session.signal.reason)
  session.signal.addEventListener('abort', onAbort)
  try {
    session.signal.throwIfAborted()
    await failed
  } finally {
    session.signal.removeEventListener('abort', onAbort)
    watch.stop()
    clearInterval(timer)
    lines?.end()
  }
}

/** The limit is reached, the key is refused or its credits are gone. Other failures end by themselves. */
function isFinal(error: unknown): boolean {
  const names = ['BudgetExceededError', 'AuthenticationError', 'PermissionError', 'InsufficientCreditsError']
  return !isEtnMarketError(error) || names.includes(error.name)
}
