/**
 * Calls every operation over HTTP and prints what each was predicted to cost beside what it was charged.
 * Talks to a fake service on loopback; with ETN_MARKET_API_KEY set, to the live one, for less than one US cent.
 */
import { BudgetExceededError, checksumAddress, createClient, creditsToUsd, isEtnMarketError } from 'etn-market'
import { createFakeService } from 'etn-market/fake'
import { allOperations, batchOf } from './support/steps.ts'
import { printTable } from './support/table.ts'

const BOLT = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'
const tokens = [
  BOLT,
  '0x309B916b3A90cb3E071697Ea9680e9217A30066f', // CORE
  '0xEe432C220273e4F949007B4c1946562826Efa055', // DYNO
  '0xc20d02538368D8F7deBeAeB99D9a8b4d4D1DDC1C', // PDY
  '0x075533AB8EeC6A6999F07C8bc2f1900eB8312e25', // FUGAZI
  '0x3187deAd7A2Bd6770F5Fe81495D1B715926AAe6e', // USDC
  '0x48E722f1458b253c2FB0E573F939318D7Dbd54e7', // USDT
  '0xC9FC4AB00911793D99b5c7Bd01f01203C21D4131', // CLUB
  '0xE74e4E7A064310466f3bdBd3F3Ce4e8c8F7CF1d5', // DCNT
  '0x138DAFbDA0CCB3d8E39C19edb0510Fc31b7C1c77', // WETN
] as const

const live = Boolean(process.env.ETN_MARKET_API_KEY)
const fake = createFakeService()
const server = live ? undefined : await fake.listen({ port: 0 })
const target = server && { baseUrl: server.url, apiKey: fake.key }
// On the live service: less than one US cent, come what may.
const credits = live ? 9_999 : 20_000
const client = createClient({ ...target, budget: { credits } })

// 120 addresses make three requests; on the live service half of them, to stay under the cent.
const unknown = Array.from({ length: live ? 50 : 110 }, (_, i) =>
  checksumAddress(`0x${(i + 1).toString(16).padStart(40, '0')}`),
)
const steps = [...allOperations(client, tokens), batchOf(client, [...tokens, ...unknown])]

const worstCase = steps.reduce((sum, { estimate }) => sum + estimate.max, 0)
console.log(
  `About to spend at most ${worstCase} credits (${creditsToUsd(worstCase)} USD) at ${server?.url ?? 'the live service'}.`,
)
console.log(`The budget is ${credits} credits: nothing can go beyond it.\n`)

const rows: string[][] = []
for (const { operation, estimate, run } of steps) {
  const predicted = estimate.min === estimate.max ? `${estimate.max}` : `${estimate.min} to ${estimate.max}`
  const outcome = await run().catch((error: unknown) => {
    if (!isEtnMarketError(error)) throw error
    return [String(error.credits), '–', `${error.name}: ${error.code}`]
  })
  rows.push([operation, predicted, ...outcome])
}
printTable(['operation', 'predicted', 'charged', 'remaining', 'a taste of the answer'], rows)

const { charged, byOperation } = client.credits
console.log(
  `\nCharged ${charged} credits (${creditsToUsd(charged)} USD) for ${Object.keys(byOperation).length} metered operations.`,
)
if (!live) console.log(`The fake service's own ledger says ${fake.charged()}.`)

const frugal = createClient({ ...target, budget: { credits: 40 } })
try {
  await frugal.token.price({ address: BOLT })
} catch (error) {
  if (!(error instanceof BudgetExceededError)) throw error
  console.log(
    `\nA client with a budget of 40 credits refuses a call of ${error.needed}, and sends nothing:\n  ${error.message}`,
  )
}

await client.close()
await frugal.close()
await fake.close()
