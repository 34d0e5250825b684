import type { Trade } from '../../generated/types.ts'
import { callSafely } from '../events.ts'
import { PAGE_SIZE } from './cost.ts'
import { createTradeDedupe, type TradeGap } from './dedupe.ts'
import type { TradeReader } from './source.ts'

export interface TradeReaderOptions {
  readonly bounds: TradeReader['bounds']
  /** What the reader has read before a restart, newest first. */
  readonly read: readonly Trade[] | undefined
  readonly onGap: (() => void) | undefined
}

/** A reader, and what it has not read. */
export interface TradeQueue extends TradeReader {
  /** The newest trades that were taken, newest first. */
  readonly read: readonly Trade[]
  /** Takes the oldest trade. */
  take(): Trade | undefined
  /** Resolves when there is a trade; rejects when there will be none. */
  wait(): Promise<void>
}

/** Maximum number of trades that wait for a reader, while other readers go on. */
const MAX_UNREAD = 1_000

export function createTradeQueue({ bounds, read: readBefore, onGap }: TradeReaderOptions): TradeQueue {
  const dedupe = createTradeDedupe(readBefore)
  let read = readBefore ?? []
  let unread: Trade[] = []
  let pending: { resolve(): void; reject(error: unknown): void } | undefined

  function push(fresh: readonly Trade[]): TradeGap | undefined {
    const all = [...unread, ...fresh]
    unread = all.slice(-MAX_UNREAD)
    const lost = all.length - unread.length
    if (lost === 0) return undefined
    return { from: all[lost - 1]?.timestamp ?? undefined, to: unread[0]?.timestamp ?? undefined }
  }

  return {
    bounds,
    isResumed: readBefore !== undefined,
    get isWaiting() {
      return pending !== undefined
    },
    get read() {
      return read
    },
    receive(page) {
      const { fresh, gap } = dedupe.add(page)
      const lost = push(fresh) ?? gap
      if (lost) callSafely(onGap, undefined)
      if (unread.length > 0) {
        pending?.resolve()
        pending = undefined
      }
      return lost
    },
    fail(error) {
      pending?.reject(error)
      pending = undefined
    },
    take() {
      const trade = unread.shift()
      if (trade) read = [trade, ...read].slice(0, PAGE_SIZE)
      return trade
    },
    wait: () =>
      new Promise((resolve, reject) => {
        pending = { resolve, reject }
      }),
  }
}
