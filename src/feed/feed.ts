import { checksumAddress, remember } from '../address.ts'
import { systemClock } from '../clock.ts'
import { ASYNC_DISPOSE } from '../dispose.ts'
import { invalidOption, refuseUnknown } from '../errors/input.ts'
import { createAllowance } from './allowance.ts'
import { createBook } from './book.ts'
import { DAY_MS } from './demand.ts'
import { createEngine } from './engine.ts'
import { callSafely, type FeedEvent } from './events.ts'
import { explain } from './explain.ts'
import { followPage } from './hidden.ts'
import { createLead } from './lead.ts'
import { createLife } from './life.ts'
import { lookUp } from './look-up.ts'
import { createPace } from './pace.ts'
import { createScheduler } from './scheduler.ts'
import { createShelf } from './shelf.ts'
import { createStatus } from './status.ts'
import { followTrades } from './trades.ts'
import { createTrouble } from './trouble.ts'
import type { FeedClient, FeedOptions, PriceFeed } from './types.ts'
import { createWatches } from './watches.ts'

const OPTIONS = ['windowMs', 'maxAgeMs', 'budget', 'store', 'pauseWhenHidden', 'onEvent', 'clock']

/**
 * Makes a feed: it buys each price once for all who need it, at the cheapest route, no more often than somebody needs it.
 * Nothing is spent until somebody asks.
 * @example const feed = createPriceFeed(client, { budget: { creditsPerDay: 20_000 } })
 * @throws InvalidRequestError when an option is unknown or not accepted.
 */
export function createPriceFeed(client: FeedClient, options: FeedOptions = {}): PriceFeed {
  refuseUnknown('feed option', options, OPTIONS)
  const { clock = systemClock, store, pauseWhenHidden = false } = options
  const windowMs = duration('windowMs', options.windowMs ?? 5)
  const maxAgeMs = duration('maxAgeMs', options.maxAgeMs ?? 60_000)
  const emit = (event: FeedEvent) => callSafely(options.onEvent, event)
  const checksum = remember(checksumAddress)
  const spell = (addresses: readonly string[]) => {
    // The client says what is wrong with an address better than anybody else could.
    client.prices.batch.estimate({ addresses: addresses as string[] })
    return addresses.map(checksum)
  }

  const life = createLife()
  const book = createBook()
  const pace = createPace(options.budget, clock)
  const allowance = createAllowance(clock.now())
  const tune = () => {
    book.tune(pace.stretch, lead.ms)
    allowance.tune(lead.ms, clock.now())
  }
  const lead = createLead(tune)
  const trouble = createTrouble(clock, emit)
  const shelf = store && createShelf(store, clock, emit)
  const engine = createEngine({ client, clock, book, pace, lead, trouble, shelf, signal: life.signal, emit })
  const page = pauseWhenHidden ? followPage(() => scheduler.wake()) : undefined
  const isPaused = () => page?.hidden ?? false
  const scheduler = createScheduler({ clock, book, pace, allowance, trouble, engine, windowMs, isPaused, tune, emit })
  const watches = createWatches({ clock, book, pace, allowance, scheduler, windowMs, life, spell })
  const lookUpParts = { clock, book, pace, trouble, scheduler, life, maxAgeMs, spell }

  const close = () => {
    life.end()
    page?.stop()
    return scheduler.stop()
  }
  return {
    async price(address, asked = {}) {
      const prices = await lookUp([address], asked, lookUpParts)
      return prices[address] as NonNullable<(typeof prices)[string]>
    },
    prices: (addresses, asked = {}) => lookUp(addresses, asked, lookUpParts) as never,
    watch: watches.open,
    trades: (asked) => followTrades(asked, { client, clock, pace, trouble, emit, life, isPaused }),
    status: createStatus({ clock, book, pace, trouble, watches, life, isPaused }),
    explain: ({ calls = 10 } = {}) => explain({ clock, book, pace, allowance }, watches.consumers(), calls),
    close,
    [ASYNC_DISPOSE]: close,
  }
}

function duration(name: string, ms: number): number {
  if (typeof ms === 'number' && ms >= 0 && ms <= DAY_MS) return ms
  throw invalidOption(name, ms, 'a number of milliseconds from 0 to a day')
}
