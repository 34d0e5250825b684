import { invalidOption } from '../../errors/input.ts'
import type { FeedContext } from '../feed.ts'
import type { Schedule } from '../schedule/schedule.ts'
import type { PageStream, PageStreamOptions } from './page-stream.ts'
import type { StreamedPrice } from './stream-events.ts'
import type { FeedStreamStatus } from './stream-state.ts'

const CONNECTING: FeedStreamStatus = {
  state: 'connecting',
  everyMs: undefined,
  until: undefined,
  status: undefined,
  code: undefined,
  refused: [],
}

/** What a stream needs of its feed. */
type StreamedFeed = { readonly schedule: Pick<Schedule, 'watched' | 'setPace' | 'deliver' | 'wake'> } & Pick<
  FeedContext,
  'internals' | 'clock' | 'lifetime' | 'table' | 'isPaused' | 'emit' | 'notify'
>

/**
 * Takes the prices of a feed's watches from the stream of a proxy: what it covers has its pace, and is not bought. The rest is bought, as is
 * everything while there is no stream, or where its code cannot be loaded.
 */
export class FeedStream {
  readonly #context: StreamedFeed
  #stream: PageStream | undefined
  /** Whether it is not known yet what the stream covers. The schedule has to wait. */
  isLoading = true

  /** @throws InvalidRequestError for a client that cannot open streams */
  constructor(context: StreamedFeed) {
    const { internals } = context
    if (!internals) throw invalidOption('stream', true, 'left out: the client was not made by createClient')
    this.#context = context
    void this.#load(internals.open)
  }

  get status(): FeedStreamStatus {
    return this.#stream?.status ?? CONNECTING
  }

  /** Call it when watches, or the visibility of the page, may have changed. */
  changed(): void {
    this.#stream?.changed()
  }

  /** Call it before the schedule plans what is bought. */
  settle(): void {
    this.#stream?.settle()
    // A watch may be new to an old stream, and to its failure.
    this.#cover()
  }

  stop(): void {
    this.#stream?.stop()
  }

  /** On demand, because most pages have no stream. */
  async #load(open: PageStreamOptions['open']): Promise<void> {
    const { clock, lifetime, schedule, isPaused, emit, notify } = this.#context
    try {
      const { PageStream } = await import('./page-stream.ts')
      if (lifetime.aborted) return
      this.#stream = new PageStream({
        clock,
        isPaused,
        open,
        wanted: () => Array.from(schedule.watched, ({ address }) => address),
        onPrice: (price) => this.#deliver(price),
        onChange: (isState) => {
          this.#cover()
          schedule.wake()
          if (!isState) return
          emit({ type: 'feed.stream', ...this.status })
          notify()
        },
      })
    } catch {
      // The feed buys.
    }
    this.isLoading = false
    schedule.wake()
  }

  #deliver({ address, stamp: _, ...known }: StreamedPrice): void {
    const { table, schedule } = this.#context
    const tracked = table.find(address)
    // The answer to a request in flight will be newer.
    if (tracked && !tracked.inFlight && known.at > tracked.at) schedule.deliver(tracked, known)
  }

  /**
   * Says of each address where its price comes from. The stream says at once that it will bring no prices; the watches say so before their
   * prices are old.
   */
  #cover(): void {
    const { schedule } = this.#context
    for (const tracked of schedule.watched) {
      const { address } = tracked
      schedule.setPace(tracked, this.#stream?.covers(address) ? this.#stream.paceMs : 0)
      const error = tracked.paceMs > 0 ? this.#stream?.failureOf(address) : undefined
      if (error === undefined) continue
      const failure = { error, waitMs: error.retryAfterMs ?? 0, transient: true, maybeCharged: false }
      for (const watcher of [...tracked.watchers]) watcher.onFailure(tracked, failure)
    }
  }
}
