import type { BudgetStore, Client, Sweep, SweepOptions, SweepProgress, SweepResult } from 'etn-market'
import { methodOf } from './call-params.ts'

/** The operations that can be swept, by the name of the sweep. */
export const SWEEPS = {
  locks: 'locks.get',
  'nft-collections': 'nft.collection',
  candles: 'token.candles',
  balances: 'balances.get',
} as const

export type SweepName = keyof typeof SWEEPS
export type SweepParams = { readonly address: string; readonly [name: string]: unknown }
export type Result = SweepResult<SweepParams, unknown>

/** The sweep of a client. What the store has is not bought. */
export function startSweep(
  client: Client,
  name: SweepName,
  params: readonly SweepParams[],
  options: SweepOptions,
): Sweep<SweepParams, unknown> {
  return methodOf(client, SWEEPS[name]).many(params, options)
}

/** What the store has already, and what has to be bought. Sends nothing. */
export async function readStored(client: Client, name: SweepName, params: readonly SweepParams[], store: BudgetStore) {
  const sweep = startSweep(client, name, params, { store, maxCredits: 0 })
  const stored: Result[] = []
  for await (const result of sweep) stored.push(result)
  return { stored, missing: sweep.remaining }
}

/**
 * Buys what is missing. After an abort nothing further is sent, and what is in flight is waited for, stored and counted: what is cancelled
 * would be charged and bought again. `maxCredits` holds for all runs on the store together.
 */
export async function buyMissing(
  client: Client,
  name: SweepName,
  params: readonly SweepParams[],
  options: { store: BudgetStore; maxCredits: number; onProgress(progress: SweepProgress): void },
  signal: AbortSignal,
): Promise<{ results: Result[]; remaining: readonly SweepParams[] }> {
  const sweep = startSweep(client, name, params, { ...options, signal, whenAborted: 'finish' })
  const results: Result[] = []
  for await (const result of sweep) results.push(result)
  return { results, remaining: sweep.remaining }
}
