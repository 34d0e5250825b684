import { createClient } from 'etn-market'
import { createFakeService, fakeTokens } from 'etn-market/fake'
import { createPriceFeed } from 'etn-market/feed'
import { printTable } from './support/table.ts'

/** Three consumers of prices on the fake service, and what the feed will buy for them. */
const MINUTE = 60_000
const tokens = Object.values(fakeTokens)

const fake = createFakeService()
const client = createClient({ apiKey: fake.key, fetch: fake.fetch })
const feed = createPriceFeed(client, { budget: { creditsPerDay: 100_000 } })

const onPrice = () => {}
feed.watch(tokens.slice(0, 7), { everyMs: 5 * MINUTE, onPrice }) // alerts
feed.watch(tokens.slice(4), { everyMs: 8 * MINUTE, onPrice }) // a page that is open
feed.watch(fakeTokens.BOLT, { everyMs: 6 * MINUTE, onPrice }) // a swap
const { usd, ageMs } = await feed.price(fakeTokens.BOLT, { maxAgeMs: MINUTE }) // joins the next batch
console.log(`BOLT is at ${usd} USD, ${ageMs} ms ago; charged up to now: ${fake.charged()} credits\n`)

const { calls, cost, onePerConsumer } = feed.explain({ calls: 8 })
const now = Date.now()
printTable(
  ['in', 'due', 'early', 'requests', 'credits'],
  calls.map(({ at, due, early, requests, credits }) => [
    `${((at - now) / MINUTE).toFixed(1)} min`,
    String(due.length),
    String(early.length),
    String(requests),
    String(credits),
  ]),
)
const perDay = (credits: number) => `${Math.round(credits).toLocaleString('en-US')} credits a day`
console.log(`\nThe feed: ${perDay(cost.creditsPerDay)}; one call per consumer: ${perDay(onePerConsumer.creditsPerDay)}`)

await feed.close()
await client.close()
await fake.close()
