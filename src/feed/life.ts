import { EtnMarketError } from '../errors/base.ts'
import { createListen, type Listen } from './signals.ts'

/** How long the feed lives, with one listener on a signal however many wait. */
export interface Life {
  /** Aborts when the feed is closed. */
  readonly signal: AbortSignal
  /** Is called when the feed is closed, unless it left before. */
  join(onClose: () => void): void
  leave(onClose: () => void): void
  readonly listen: Listen
  end(): void
}

export function createLife(): Life {
  const controller = new AbortController()
  const joined = new Set<() => void>()
  return {
    signal: controller.signal,
    join: (onClose) => void joined.add(onClose),
    listen: createListen(),
    leave: (onClose) => void joined.delete(onClose),
    end() {
      controller.abort(
        new EtnMarketError('The feed is closed. Make a new one with createPriceFeed.', { code: 'feed_closed' }),
      )
      for (const onClose of [...joined]) onClose()
      joined.clear()
    },
  }
}
