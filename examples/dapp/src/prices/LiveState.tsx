import type { FeedStreamState } from 'etn-market/feed'
import { useFeedStatus } from 'etn-market/react'
import { PRICE_EVERY_MS } from '../live.ts'
import { useMarket } from '../market.ts'
import { formatSpan } from '../parts/format.ts'

const WORDS: Readonly<Record<FeedStreamState, string>> = {
  connected: 'Live',
  stale: 'Prices are late',
  connecting: 'Connecting',
  reconnecting: 'Reconnecting',
  paused: 'Paused while hidden',
  out_of_credits: 'Live prices are used up for today',
  refused: 'No stream: prices take your credits',
}

/** What the stream of prices does at this moment. */
export function LiveState() {
  const { feed } = useMarket()
  const { stream } = useFeedStatus(feed)
  const state = stream?.state ?? 'connecting'
  const everyMs = stream?.everyMs ?? PRICE_EVERY_MS
  const isLive = state === 'connected'
  return (
    <span className={isLive ? 'live' : 'live live-off'} role="status" data-stream={state}>
      {stream?.code === 'upstream_down' ? 'The service does not answer' : WORDS[state]}
      {isLive && everyMs > PRICE_EVERY_MS && `, every ${formatSpan(everyMs)}`}
    </span>
  )
}
