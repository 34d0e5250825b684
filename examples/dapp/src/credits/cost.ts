import { type CostEstimate, creditsToUsd, estimateCost, type OperationId } from 'etn-market'
import type { EtnQueryOptions } from 'etn-market/tanstack-query'

/** The options of a query of any operation. */
export type AnyQuery = { [Id in OperationId]: EtnQueryOptions<Id> }[OperationId]

/** What it costs to buy the data of these queries, in credits. Sends nothing. */
export function costOf(queries: readonly AnyQuery[]): Pick<CostEstimate, 'min' | 'max'> {
  const estimates = queries.map(({ queryKey: [, operation, params] }) => estimateCost(operation, params))
  const sum = (pick: 'min' | 'max') => estimates.reduce((total, estimate) => total + estimate[pick], 0)
  return { min: sum('min'), max: sum('max') }
}

const count = new Intl.NumberFormat('en')
const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumFractionDigits: 6 })

export const formatCredits = (credits: number) => `${count.format(credits)} credits`
export const formatUsdOf = (credits: number) => dollars.format(creditsToUsd(credits))
