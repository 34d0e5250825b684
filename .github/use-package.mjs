// Calls the fake service once as an ES module and once as CommonJS. Copied into a folder where the packed package is installed.
import { deepEqual } from 'node:assert/strict'
import { createRequire } from 'node:module'
import * as esm from 'etn-market'
import { createFakeService } from 'etn-market/fake'

const fake = createFakeService()
const { url: baseUrl } = await fake.listen({ port: 0 })
for (const { createClient } of [esm, createRequire(import.meta.url)('etn-market')]) {
  const client = createClient({ apiKey: fake.key, baseUrl })
  const { data, meta } = await client.etn.price().withMeta()
  deepEqual([typeof data.usd, meta.credits.charged, client.credits.charged], ['string', 25, 25])
  await client.close()
}
deepEqual(
  fake.ledger().map(({ operation, credits }) => [operation, credits]),
  [
    ['etn.price', 25],
    ['etn.price', 25],
  ],
)
await fake.close()
process.stdout.write(`2 calls over ${baseUrl}\n`)
