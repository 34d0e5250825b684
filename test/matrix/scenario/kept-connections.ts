import * as market from 'etn-market'
import type { SpendingReport } from '../runtimes/kept-connections.ts'

/**
 * Calls a server that charges and breaks what arrives on a kept connection, while the program itself keeps connections to it. Once by the
 * global `fetch`, and once by a function around it.
 */
const baseUrl = process.argv[2] ?? ''
const ROUNDS = 5

async function spend(options: market.ClientOptions): Promise<number> {
  const client = market.createClient({ ...options, apiKey: 'esk_test_x', baseUrl, retry: false })
  for (let round = 0; round < ROUNDS; round++) {
    for (let request = 0; request < 3; request++) await (await fetch(`${baseUrl}/own`)).text().catch(() => {})
    await client.etn.price().catch(() => {})
  }
  await client.close()
  return client.budget.spent + client.budget.uncertain
}

const report: SpendingReport = {
  counted: (await spend({})) + (await spend({ fetch: (url, init) => fetch(url, { ...init }) })),
  asked: 2 * ROUNDS * 3,
}
process.stdout.write(JSON.stringify(report))
