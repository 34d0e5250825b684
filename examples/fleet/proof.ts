import type { Client } from 'etn-market'
import type { FakeService } from 'etn-market/fake'
import type { Fleet } from 'etn-market/redis'
import { count } from './display.ts'

/** Compares the account of the fleet with the ledger of the service, and prints both. Resolves to whether they agree. */
export async function prove(fleet: Fleet, client: Client, fake: FakeService): Promise<boolean> {
  const charged = fake.charged()
  const { limit, spent, uncertain } = await fleet.status()
  const lost = charged - spent
  // The balance of the key shows what the lost answers cost. The first look at it was at the start.
  await fleet.reconcile(client)
  const after = await fleet.status()

  console.log('\nProof')
  const checks: [text: string, holds: boolean][] = [
    [
      `The service charged ${count(charged)} credits, by its own ledger. The limit is ${count(limit)}.`,
      charged <= limit,
    ],
    [
      `The fleet knows ${count(spent)} as spent and ${count(uncertain)} as uncertain: ${count(lost)} of those were charged.`,
      lost >= 0 && lost <= uncertain,
    ],
    [
      `After a look at the balance, it knows ${count(after.spent)} as spent and ${count(after.uncertain)} as uncertain.`,
      after.spent === charged && after.uncertain === 0 && after.reserved === 0,
    ],
  ]
  for (const [text, holds] of checks) console.log(`${holds ? 'ok ' : 'NOT OK'} ${text}`)
  return checks.every(([, holds]) => holds)
}
