import { createClient } from 'etn-market'
import { createFakeService, type FakeServiceOptions } from 'etn-market/fake'
import { createPriceFeed, type FeedEvent, type FeedOptions, type PriceFeed } from 'etn-market/feed'
import { createVirtualClock } from '../support/clock.ts'
import { createDirectTransport } from '../support/direct-transport.ts'
// Client and feed load these lazily; loaded here so that they take no real time.
import '../../src/feed/prices/shared-prices.ts'
import '../../src/generated/answer-schemas.ts'
import { onCaseFinished } from '../support/property.ts'
import { DAY } from './setup.ts'

export interface Process {
  readonly feed: PriceFeed
  readonly events: FeedEvent[]
  /** Ends the process without a word: nothing that it waits for ever arrives. */
  kill(): void
}

/** Processes that run one after the other, on one store and one service, in virtual time that begins at midnight UTC. */
export function createMachine(service: FakeServiceOptions = {}) {
  const clock = createVirtualClock(Date.UTC(2026, 10, 20))
  const fake = createFakeService({ clock, ...service })
  const values = new Map<string, string>()
  /** Whether the store fails. */
  const store = { fails: false }
  onCaseFinished(() => fake.close())

  return {
    clock,
    fake,
    values,
    store,
    start(options: FeedOptions = {}): Process {
      const killed = new AbortController()
      const whileAlive = <T>(work: Promise<T>) =>
        new Promise<T>((resolve, reject) => {
          const unlessKilled =
            <V>(settle: (value: V) => void) =>
            (value: V) => {
              if (!killed.signal.aborted) settle(value)
            }
          work.then(unlessKilled(resolve), unlessKilled(reject))
        })
      const own = {
        now: () => clock.now(),
        monotonic: () => clock.monotonic(),
        random: () => clock.random(),
        sleep: (ms: number, signal?: AbortSignal) =>
          whileAlive(clock.sleep(ms, AbortSignal.any([killed.signal, ...(signal ? [signal] : [])]))),
      }
      const operate = async <T>(work: () => T) => {
        if (store.fails || killed.signal.aborted) throw new Error('The disk is gone.')
        return work()
      }
      const client = createClient({
        apiKey: fake.key,
        clock: own,
        transport: createDirectTransport((url, init) =>
          killed.signal.aborted ? new Promise(() => {}) : whileAlive(fake.fetch(url, init)),
        ),
      })
      const events: FeedEvent[] = []
      const feed = createPriceFeed(client, {
        clock: own,
        onEvent: (event) => void events.push(event),
        store: {
          get: (key) => operate(() => values.get(key)),
          set: (key, value) => operate(() => void values.set(key, value)),
          delete: (key) => operate(() => values.delete(key)),
        },
        ...options,
      })
      return { feed, events, kill: () => killed.abort() }
    },
    /** What the service charged in each day since the beginning, UTC. */
    chargedByDay() {
      const days: number[] = []
      for (const { at, credits } of fake.ledger()) {
        const day = Math.floor((at - Date.UTC(2026, 10, 20)) / DAY)
        days[day] = (days[day] ?? 0) + credits
      }
      return days
    },
  }
}
