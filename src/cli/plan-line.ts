import type { OperationId, PlannedCall } from 'etn-market'
import type { PlanCall } from './plan-schema.ts'
import type { LineTimes } from './plan-times.ts'

/** A line of a plan: one call, or one for each of its addresses, made again and again. */
export interface PlanLine {
  /** Its position, from 0. */
  readonly index: number
  readonly operation: OperationId
  /** Parameters of each call, without the addresses of the line. */
  readonly params: Readonly<Record<string, unknown>>
  readonly times: LineTimes
  /** How the interval is written: `5m`, `night`. */
  readonly every: string
  /** Number of calls each time. */
  readonly count: number
  /** In EIP-55 form, each one once; undefined for a line that calls with `params` alone. */
  readonly addresses: readonly string[] | undefined
  /** What the line is for, in a few words. */
  readonly purpose: string
  /** One of its calls, as the library plans it. */
  readonly call: PlannedCall
  /** Where `run` writes what the line buys. */
  readonly file: string | undefined
  readonly alert: PlanCall['alert']
}

/** A plan as its file states it. */
export interface PlanFile {
  readonly lines: readonly PlanLine[]
  /** Credits that may be spent a day. */
  readonly creditsPerDay?: number | undefined
  /** Credits on the key. */
  readonly balance?: number | undefined
}

/** How `run` carries a line out. */
export type LineKind = 'prices' | 'candles' | 'sweep' | 'call'

export function kindOf({ operation, addresses }: Pick<PlanLine, 'operation' | 'addresses'>): LineKind {
  if (addresses === undefined) return 'call'
  if (isPriceOperation(operation)) return 'prices'
  return operation === 'token.candles' ? 'candles' : 'sweep'
}

export const isPriceOperation = (operation: string): boolean =>
  operation === 'token.price' || operation === 'prices.batch'

/** Whether a line has times of its own, which a plan that costs too much leaves alone. */
export const isFixed = ({ times }: Pick<PlanLine, 'times'>): boolean => times.once !== undefined
