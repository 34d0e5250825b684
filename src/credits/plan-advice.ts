import { type OperationId, operations } from '../generated/operations.ts'
import type { ParamValue } from '../operations/validate-params.ts'
import { formatDuration } from '../utils/time-units.ts'
import { creditsFor, MAX_ITEMS } from './cheapest-requests.ts'
import type { CostEstimate } from './cost.ts'
import type { PlanAdvice } from './plan.ts'

/** A planned call whose parameters and interval are valid. */
export interface CallRate {
  /** Its position in the plan, from 0. */
  readonly index: number
  readonly operation: OperationId
  readonly values: Readonly<Record<string, ParamValue>>
  readonly everyMs: number
  readonly activeHours: number
  readonly callsPerDay: number
  readonly cost: CostEstimate
}

/** What saves credits, computed from the costs of the plan; the largest saving first. */
export function findAdvice(lines: readonly CallRate[], creditsPerDay: number | undefined): PlanAdvice[] {
  const saving = (advice: PlanAdvice) => advice.creditsPerDay - advice.insteadCreditsPerDay
  return [
    ...advisePrices(lines),
    ...adviseNftStats(lines),
    ...adviseRepeated(lines),
    ...adviseLimit(lines, creditsPerDay),
  ]
    .filter((advice) => saving(advice) > 0)
    .sort((one, other) => saving(other) - saving(one))
}

const spendingOf = (lines: readonly CallRate[]) =>
  lines.reduce((sum, { cost, callsPerDay }) => sum + cost.max * callsPerDay, 0)
const indexesOf = (lines: readonly CallRate[]) => lines.map(({ index }) => index)

/** Prices at the same times belong into one batch. If a batch of all at the shortest interval costs still less, that is the advice. */
function advisePrices(lines: readonly CallRate[]): PlanAdvice[] {
  const prices = lines.filter(({ operation }) => operation === 'token.price' || operation === 'prices.batch')
  return groupBy(prices, ({ activeHours }) => activeHours).flatMap((sameHours) => {
    const apart = groupBy(sameHours, ({ everyMs }) => everyMs).map(advisePriceGroup)
    const together = advisePriceGroup(sameHours)
    const costApart = apart.reduce(
      (sum, advice) => sum + Math.min(advice.creditsPerDay, advice.insteadCreditsPerDay),
      0,
    )
    return together.insteadCreditsPerDay < costApart ? [together] : apart
  })
}

function advisePriceGroup(lines: readonly CallRate[]): PlanAdvice {
  const asked = lines.flatMap(({ values }) => values.addresses ?? String(values.address).toLowerCase())
  const addresses = new Set(asked).size
  const rest = addresses % MAX_ITEMS
  const singles = creditsFor(rest) === rest * creditsFor(1) ? rest : 0
  const batched = addresses - singles
  const instead = [
    ...(batched > 0 ? [`one prices.batch of ${batched} addresses`] : []),
    ...(singles > 0 ? [`${singles} token.price`] : []),
  ]
  const kind = batched > 0 ? 'merge-prices' : 'single-prices'
  return adviseReplacement(kind, lines, creditsFor(addresses), (every) => `${instead.join(' and ')} ${every}`)
}

function adviseNftStats(lines: readonly CallRate[]): PlanAdvice[] {
  const collections = lines.filter(({ operation }) => operation === 'nft.collection')
  return groupBy(collections, ({ activeHours }) => activeHours).map((sameHours) =>
    adviseReplacement(
      'nft-stats',
      sameHours,
      operations['nft.stats'].credits.base,
      (every) =>
        `one nft.stats ${every}, which has the floor price, owners and listings of all collections but no volume`,
    ),
  )
}

/** Prices and collections have advice of their own. */
const ADVISED: readonly OperationId[] = ['token.price', 'prices.batch', 'nft.collection']

function adviseRepeated(lines: readonly CallRate[]): PlanAdvice[] {
  const others = lines.filter(({ operation }) => !ADVISED.includes(operation))
  return groupBy(others, ({ operation, values, activeHours }) => JSON.stringify([operation, values, activeHours]))
    .filter((equal) => equal.length > 1)
    .map((equal) => {
      const text = (every: string) => `the parameters are equal, and the one ${every} alone`
      return adviseReplacement('repeated-call', equal, fastestOf(equal).cost.max, text)
    })
}

function adviseLimit(lines: readonly CallRate[], limit: number | undefined): PlanAdvice[] {
  const creditsPerDay = spendingOf(lines)
  if (limit === undefined || creditsPerDay <= limit) return []
  const factor = Math.ceil((100 * creditsPerDay) / limit) / 100
  return [
    {
      kind: 'over-limit',
      message: `Whole plan: ${count(creditsPerDay)} credits a day, above the limit of ${count(limit)}; intervals ${factor} times as long fit.`,
      calls: indexesOf(lines),
      creditsPerDay,
      insteadCreditsPerDay: limit,
    },
  ]
}

/** One replacement at the shortest interval, for all the calls. @param credits of one time */
function adviseReplacement(
  kind: PlanAdvice['kind'],
  lines: readonly CallRate[],
  credits: number,
  text: (every: string) => string,
): PlanAdvice {
  const { everyMs, callsPerDay } = fastestOf(lines)
  const insteadCreditsPerDay = credits * callsPerDay
  return {
    kind,
    message: `${describe(lines)}; ${text(`every ${formatDuration(everyMs)}`)}: ${count(insteadCreditsPerDay)}.`,
    calls: indexesOf(lines),
    creditsPerDay: spendingOf(lines),
    insteadCreditsPerDay,
  }
}

/** Such as `14 token.price every 5m: 201,600 credits a day`. */
function describe(lines: readonly CallRate[]): string {
  const names = groupBy(lines, ({ operation }) => operation).map((same) => `${same.length} ${same[0]?.operation}`)
  const intervals = new Set(lines.map(({ everyMs }) => everyMs))
  const [every = 0] = intervals
  const when = intervals.size === 1 ? `every ${formatDuration(every)}` : `at ${intervals.size} intervals`
  return `${names.join(' and ')} ${when}: ${count(spendingOf(lines))} credits a day`
}

function fastestOf(lines: readonly CallRate[]): CallRate {
  return lines.reduce((fastest, line) => (line.everyMs < fastest.everyMs ? line : fastest))
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => unknown): Item[][] {
  const groups = new Map<unknown, Item[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return [...groups.values()]
}

const count = (credits: number) => Math.round(credits).toLocaleString('en-US')
