/**
 * Prints an alert when a price crosses a limit. Its budget of the day and its prices survive restarts, and Ctrl-C ends it cleanly.
 *
 *     ETN_MARKET_API_KEY=… npx tsx examples/bot/bot.ts 0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1 --below 0.04 --above 0.05
 */
import { parseArgs } from 'node:util'
import { createClient, isEtnMarketError } from 'etn-market'
import { createPriceFeed, type FeedAlert } from 'etn-market/feed'
import { createFileStore } from 'etn-market/node'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    above: { type: 'string' },
    below: { type: 'string' },
    'every-ms': { type: 'string', default: '300000' },
    'credits-per-day': { type: 'string', default: '20000' },
    state: { type: 'string', default: 'bot-state.json' },
  },
})
const [token] = positionals
if (token === undefined) throw new Error('Usage: bot.ts <token> [--above USD] [--below USD]')

const stopped = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort())

const store = createFileStore(values.state)
const client = createClient()
const feed = createPriceFeed(client, {
  store,
  budget: { creditsPerDay: Number(values['credits-per-day']) },
  onEvent: (event) => {
    if (event.type === 'feed.waiting' || event.type === 'feed.stopped') console.log(`${event.type}: ${event.code}`)
  },
})

const describe = ({ condition, price }: FeedAlert) =>
  `${new Date(price.at).toISOString()} ${price.address} is ${condition} the limit: ${price.usd} USD`

try {
  const { above, below } = values
  const alerts = feed.alert(token, { above, below, everyMs: Number(values['every-ms']), signal: stopped.signal })
  console.log(`Watching ${token} with ${values['credits-per-day']} credits a day. Ctrl-C ends it.`)
  for await (const alert of alerts) console.log(describe(alert))
} catch (error) {
  if (!stopped.signal.aborted) {
    console.error(isEtnMarketError(error) ? `${error.code}: ${error.message}` : error)
    process.exitCode = 1
  }
} finally {
  await feed.close()
  await client.close()
  await store.close()
  console.log(`Spent ${client.credits.charged} credits in this run, ${feed.status().spent} today.`)
}
