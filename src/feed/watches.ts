import { invalidOption, refuseUnknown } from '../errors/input.ts'
import type { Life } from './life.ts'
import { createStream } from './stream.ts'
import type { Watch, WatchOptions } from './types.ts'
import { type Sink, startWatch, type WatchParts } from './watch.ts'

export interface WatchesParts extends WatchParts {
  readonly life: Life
  spell(addresses: readonly string[]): string[]
}

/** The watches of a feed. */
export interface Watches {
  readonly size: number
  /** What each of them would buy, and how often, if it were alone. */
  consumers(): readonly Consumer[]
  open(addresses: string | readonly string[], options: WatchOptions): Watch
}

export interface Consumer {
  readonly addresses: number
  readonly everyMs: number
}

export function createWatches(parts: WatchesParts): Watches {
  const consumers = new Set<Consumer>()
  const { life } = parts

  /** A watch begins, and ends by itself, by its signal, or with the feed. */
  function begin(
    spellings: ReadonlyMap<string, readonly string[]>,
    { everyMs, signal }: WatchOptions,
    sink: Sink,
    onEnd: (error?: { reason: unknown }) => void,
  ): () => void {
    const consumer = { addresses: spellings.size, everyMs }
    const stop = startWatch(spellings, everyMs, sink, parts)
    consumers.add(consumer)
    const end = (error?: { reason: unknown }) => {
      if (!consumers.delete(consumer)) return
      stop()
      stopListening()
      life.leave(onClose)
      onEnd(error)
    }
    const onClose = () => end()
    const stopListening = life.listen(signal, () => end({ reason: signal?.reason }))
    life.join(onClose)
    return end
  }

  return {
    get size() {
      return consumers.size
    },
    consumers: () => [...consumers],
    open(addresses, options) {
      refuseUnknown('watch option', options, ['everyMs', 'onPrice', 'onError', 'signal'])
      const { everyMs, onPrice, onError, signal } = options
      if (!(typeof everyMs === 'number' && everyMs > 0 && everyMs < Number.POSITIVE_INFINITY))
        throw invalidOption('everyMs', everyMs, 'a number of milliseconds above 0')
      life.signal.throwIfAborted()
      const spellings = groupSpellings(typeof addresses === 'string' ? [addresses] : addresses, parts.spell)
      const ends = new Set<() => void>()
      const add = (sink: Sink, onEnd: (error?: { reason: unknown }) => void = () => {}) => {
        const end = begin(spellings, options, sink, (error) => {
          ends.delete(end)
          onEnd(error)
        })
        ends.add(end)
        return end
      }
      const error = onError && { error: onError }
      if (onPrice && !signal?.aborted) add({ price: onPrice, ...error })
      return {
        stop() {
          for (const end of [...ends]) end()
        },
        [Symbol.asyncIterator]() {
          let end = () => {}
          const stream = createStream(() => end())
          if (signal?.aborted) stream.end({ reason: signal.reason })
          else if (life.signal.aborted) stream.end()
          else end = add({ price: stream.push, ...error }, stream.end)
          return stream.iterator
        },
      }
    },
  }
}

/** Each address once, with every way in which the caller spelled it. */
function groupSpellings(
  spellings: readonly string[],
  spell: (addresses: readonly string[]) => string[],
): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  const addresses = spell(spellings)
  for (const [index, spelling] of spellings.entries()) {
    const address = addresses[index] ?? spelling
    const group = groups.get(address) ?? []
    if (!group.includes(spelling)) group.push(spelling)
    groups.set(address, group)
  }
  return groups
}
