import type { Trade } from 'etn-market'
import type { FakeService } from 'etn-market/fake'

export const numbers = (trades: readonly Trade[]) => trades.map(({ timestamp }) => timestamp)
export const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

/** The trades that a fake service serves, numbered from 1 by their timestamp. */
export function serveTrades(fake: FakeService, count: number) {
  const trades: Trade[] = []
  const add = (more: number) => {
    for (let index = 0; index < more; index++) {
      const timestamp = trades.length + 1
      trades.push({ hash: `0x${timestamp}`, timestamp })
    }
  }
  add(count)
  fake.stub('trade.list', ({ params }) => trades.slice(-Number(params.limit)).toReversed())
  return { trades, add }
}
