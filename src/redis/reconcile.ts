import type { Reconciliation } from '../credits/budget.ts'
import { isCredits } from '../credits/budget-core.ts'
import type { FleetAccountReader } from '../fleet/types.ts'
import type { Member } from './member.ts'
import { RECONCILE } from './scripts/reconcile.lua.ts'

/** Reads the balance between two looks at the ledger: where that is the same, the balance belongs to it. */
export async function reconcile(
  { command, keys, config }: Member,
  client: FleetAccountReader,
): Promise<Reconciliation | undefined> {
  const [state, token = ''] = await command(RECONCILE, keys.ledger, [config])
  if (state !== 'quiet') return undefined
  const { credits } = await client.account.me()
  if (!isCredits(credits)) return undefined
  const [verdict, charged, freed] = await command(RECONCILE, keys.ledger, [config, token, credits])
  return verdict === 'proven' ? { charged: Number(charged), freed: Number(freed) } : undefined
}
