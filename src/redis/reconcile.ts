import { internalsOf } from '../client-internals.ts'
import type { Reconciliation, Reservation } from '../credits/budget.ts'
import { isCredits } from '../credits/budget-core.ts'
import type { SpendingLimit } from '../credits/joint-budget.ts'
import { invalidOption } from '../errors/input.ts'
import type { FleetAccountReader } from '../fleet/types.ts'
import type { Account } from '../generated/types.ts'
import type { Member } from './member.ts'
import { RECONCILE } from './scripts/ledger.lua.ts'

/** Reads the balance between two looks at the ledger: where that is the same, the balance belongs to it. */
export async function reconcile(
  { command, keys, config, leaseMs, maxChargeDelayMs }: Member,
  client: FleetAccountReader,
): Promise<Reconciliation | undefined> {
  const internals = internalsOf(client)
  if (internals === undefined) throw invalidOption('client', client, 'a client of createClient')
  const limits = [config, leaseMs, maxChargeDelayMs]
  const [state, ...quiet] = await command(RECONCILE, keys.ledger, limits)
  if (state !== 'quiet') return undefined
  const sent = recordKey()
  const { credits } = (await internals.call('account.me', {}, {}, { budget: sent.limit })) as Account
  // An answer that another call has asked for, with whatever key, may be older than the look.
  if (!isCredits(credits) || sent.key === undefined) return undefined
  const [verdict, charged, freed] = await command(RECONCILE, keys.ledger, [...limits, ...quiet, credits, sent.key])
  return verdict === 'proven' ? { charged: Number(charged), freed: Number(freed) } : undefined
}

/** A limit that allows everything, and learns the name of the key that a request is sent with. */
function recordKey(): { readonly key: string | undefined; readonly limit: SpendingLimit } {
  const reservation: Reservation = {
    credits: 0,
    confirm(_, key) {
      sent.key = key
    },
    settle: () => undefined,
    release() {},
    markUncertain() {},
  }
  const sent: { key: string | undefined; limit: SpendingLimit } = {
    key: undefined,
    limit: { check() {}, reserve: () => reservation },
  }
  return sent
}
