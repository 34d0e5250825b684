import type { Candle } from 'etn-market'
import { type CandleBucket, closedOnly, fillGaps } from 'etn-market/candles'
import { RSI, SMA } from 'technicalindicators'

/** Indicators count rows: gaps are filled, so that 14 rows are 14 periods, and the open candle, which still changes, is left out. */
export function indicatorsOf(candles: readonly Candle[], bucket: CandleBucket, requestedAt: number) {
  const closes = fillGaps(closedOnly(candles, bucket, requestedAt), bucket).map(({ close }) => close)
  return {
    sma: SMA.calculate({ period: 14, values: closes }),
    rsi: RSI.calculate({ period: 14, values: closes }),
  }
}
