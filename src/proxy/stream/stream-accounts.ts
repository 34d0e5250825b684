import { type Clock, monotonicNow } from '../../concurrency/clock.ts'
import { requestCredits } from '../../credits/batch-cost.ts'
import type { Budget } from '../../credits/budget.ts'
import type { Visitors } from '../visitors.ts'
import type { Payer, WantedPrice } from './feed-access.ts'
import type { PriceSource } from './price-source.ts'
import { type Share, ShareReservation, wholeCredits } from './share-reservation.ts'
import { isSolvent, type StreamVisitor } from './stream-visitor.ts'

/** Who pays for what the feed buys for streams: the visitors who want an address divide its cost. */
export interface StreamAccounts {
  readonly payer: Payer
  readonly open: Iterable<StreamVisitor>
  /** The account of a visitor, if it has a stream. */
  find(id: string): StreamVisitor | undefined
  /** A visitor opens a stream. */
  enter(id: string): StreamVisitor
  /** A stream has ended. */
  leave(visitor: StreamVisitor): void
  /** When there may be credits of all visitors together again, by the monotonic clock; undefined while there are. */
  readonly totalBrokeUntil: number | undefined
  /** Lets visitors pay again whose credits were renewed. */
  renew(): void
}

export interface StreamAccountsParts {
  readonly clock: Clock
  /** Undefined where visitors have no limit of their own. */
  readonly visitors: Visitors | undefined
  readonly total: Budget
  /** What asks for an address in EIP-55 form, with the visitors who read it. */
  sourcesOf(address: string): ReadonlySet<Pick<PriceSource, 'id' | 'visitors'>>
  /** Called later in the same turn when somebody can pay no longer, or again. */
  onChange(): void
}

export function createStreamAccounts(parts: StreamAccountsParts): StreamAccounts {
  const { clock, visitors, total, sourcesOf } = parts
  const accounts = new Map<string, StreamVisitor>()
  const now = () => monotonicNow(clock)
  let totalBrokeUntil: number | undefined
  let isChangePending = false

  function reportChange(): void {
    if (isChangePending) return
    isChangePending = true
    // The feed is in the middle of a purchase.
    queueMicrotask(() => {
      isChangePending = false
      parts.onChange()
    })
  }

  const renewalOf = ({ resetsAt = Number.POSITIVE_INFINITY }: Pick<Budget, 'resetsAt'>) =>
    now() + Math.max(0, resetsAt - clock.now())

  /** The addresses of a request that nobody can pay for, and groups of the others that the same visitors want. */
  function groupByPayers(wanted: readonly WantedPrice[]) {
    const groups = new Map<string, PaidGroup>()
    const unpaid: WantedPrice[] = []
    for (const price of wanted) {
      const sources = [...sourcesOf(price.address)]
      const key = sources.map(({ id }) => id).join()
      const group = groups.get(key) ?? { payers: totalBrokeUntil === undefined ? payersOf(sources) : [], prices: [] }
      groups.set(key, group)
      if (group.payers.length > 0) group.prices.push(price)
      else if (!price.isOwn) unpaid.push(price)
    }
    return { groups: groups.values(), unpaid: new Set(unpaid) }
  }

  /** Each visitor's part of a request for what is left when nobody pays for the rest. */
  function divide(wanted: readonly WantedPrice[]) {
    const { groups, unpaid } = groupByPayers(wanted)
    const left = wanted.filter((price) => !unpaid.has(price))
    const weights = new Map<StreamVisitor, number>()
    let ofVisitors = 0
    for (const { payers, prices } of groups) {
      if (prices.length === 0) continue
      const weight = prices.length / left.length
      ofVisitors += weight
      for (const visitor of payers) weights.set(visitor, (weights.get(visitor) ?? 0) + weight / payers.length)
    }
    return { left, weights, ofVisitors, worstCase: left.length === 0 ? 0 : requestCredits(left.length) }
  }

  /** Ends as soon as everybody who is left can pay: each turn without that has one visitor less. */
  function findPayers(wanted: readonly WantedPrice[]) {
    for (;;) {
      const divided = divide(wanted)
      const { weights, ofVisitors, worstCase } = divided
      let isPaid = true
      for (const [visitor, weight] of weights) {
        if (visitors === undefined || wholeCredits(weight * worstCase) <= visitors.available(visitor.id)) continue
        const budget = visitors.find(visitor.id)
        // Without one, the share is too large for a whole window, or there are too many visitors.
        visitor.brokeUntil = budget ? renewalOf(budget) : now() + RECHECK_MS
        isPaid = false
      }
      if (isPaid && wholeCredits(ofVisitors * worstCase) > total.available) {
        totalBrokeUntil = renewalOf(total)
        isPaid = false
      }
      if (isPaid) return divided
      reportChange()
    }
  }

  function reserveShares(weights: ReadonlyMap<StreamVisitor, number>, worstCase: number): Share[] {
    const shares: Share[] = []
    if (visitors === undefined) return shares
    for (const [visitor, weight] of weights) {
      const { id } = visitor
      try {
        const budget = visitors.begin(id)
        const end = () => visitors.end(id)
        try {
          shares.push({ visitor, weight, reservation: budget.reserve(wholeCredits(weight * worstCase)), end })
        } catch (error) {
          end()
          throw error
        }
      } catch (error) {
        for (const { reservation, end } of shares) {
          reservation.release()
          end()
        }
        throw error
      }
    }
    return shares
  }

  return {
    payer: {
      admit(wanted) {
        const { left, weights, ofVisitors, worstCase } = findPayers(wanted)
        return {
          addresses: new Set(left.map(({ address }) => address)),
          reserve() {
            if (ofVisitors === 0) return undefined
            const reserved = total.reserve(wholeCredits(ofVisitors * worstCase))
            return ShareReservation.make(reserved, ofVisitors, () => reserveShares(weights, worstCase))
          },
        }
      },
    },
    get open() {
      return accounts.values()
    },
    find: (id) => accounts.get(id),
    enter(id) {
      const visitor = accounts.get(id) ?? { id, streams: 0, paidAhead: 0, brokeUntil: undefined }
      accounts.set(id, visitor)
      visitor.streams++
      return visitor
    },
    leave(visitor) {
      visitor.streams--
      if (visitor.streams === 0) accounts.delete(visitor.id)
    },
    get totalBrokeUntil() {
      return totalBrokeUntil
    },
    renew() {
      const isOver = (until: number | undefined) => until !== undefined && until <= now()
      if (isOver(totalBrokeUntil)) {
        totalBrokeUntil = undefined
        reportChange()
      }
      for (const visitor of accounts.values()) {
        if (!isOver(visitor.brokeUntil)) continue
        visitor.brokeUntil = undefined
        reportChange()
      }
    },
  }
}

/** How often a visitor without a remembered budget is asked to pay again. */
const RECHECK_MS = 60_000

interface PaidGroup {
  readonly payers: readonly StreamVisitor[]
  readonly prices: WantedPrice[]
}

const payersOf = (sources: readonly Pick<PriceSource, 'visitors'>[]) =>
  [...new Set(sources.flatMap(({ visitors }) => [...visitors]))].filter(isSolvent)
