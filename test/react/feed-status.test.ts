import type { FeedStatus, FeedStreamStatus } from 'etn-market/feed'
import { useFeedStatus, usePrice } from 'etn-market/react'
import { createPriceStream } from 'etn-market/stream'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import { createStatusStore } from '../../src/react/use-feed-status.ts'
import { useFakeTimers } from '../support/fake-timers.ts'

const CONNECTING: FeedStreamStatus = {
  state: 'connecting',
  everyMs: undefined,
  until: undefined,
  status: undefined,
  code: undefined,
  refused: [],
}

/** A feed whose state the test sets. */
function manualFeed() {
  let state = { state: 'idle', projected: 0 } as FeedStatus
  const listeners = new Set<() => void>()
  return {
    status: () => ({ ...state }),
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    set(change: Partial<FeedStatus>) {
      state = { ...state, ...change }
    },
    notify() {
      for (const listener of listeners) listener()
    },
    listeners,
  }
}

test('the state of a feed is the same object until something in it changes', () => {
  const timers = useFakeTimers()
  const feed = manualFeed()
  const { getSnapshot, subscribe } = createStatusStore(feed)
  const onChange = vi.fn()
  const first = getSnapshot()
  feed.set({ projected: 1 })
  expect(getSnapshot()).toBe(first)
  const stop = subscribe(onChange)
  expect(onChange).toHaveBeenCalledTimes(1)
  const second = getSnapshot()
  expect(second.projected).toBe(1)
  feed.notify()
  vi.advanceTimersByTime(5_000)
  expect(getSnapshot()).toBe(second)
  feed.set({ stream: { ...CONNECTING, state: 'reconnecting' } })
  feed.notify()
  expect(getSnapshot().stream?.state).toBe('reconnecting')
  feed.set({ projected: 2 })
  vi.advanceTimersByTime(1_000)
  expect(getSnapshot().projected).toBe(2)
  expect(onChange).toHaveBeenCalledTimes(3)
  stop()
  expect([feed.listeners.size, timers.pending()]).toEqual([0, 0])
})

test('hooks take a price stream as they take a feed', () => {
  const stream = createPriceStream({ url: '/api/market' })
  function Page() {
    const price = usePrice(stream, `0x${'1'.repeat(40)}`, { everyMs: 60_000 })
    const status = useFeedStatus(stream)
    return createElement('p', null, `${price?.usd ?? 'no price'}, ${status.state}, ${status.stream.state}`)
  }
  expect(renderToString(createElement(Page))).toBe('<p>no price, idle, connecting</p>')
})
