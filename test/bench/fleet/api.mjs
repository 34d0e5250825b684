/** The fake service in a process of its own, with faults on 5 % of the requests. */
import { createFakeService, fakeTokens } from 'etn-market/fake'

const { credits } = JSON.parse(process.env.JOB)
const KEY = 'esk_test_fleet'
const OPERATIONS = ['token.price', 'prices.batch', 'token.candles']
const SHARE = 0.01

const fake = createFakeService({ keys: { [KEY]: credits } })
const faults = [
  { status: 500 },
  { html: 502 },
  { reset: 'before' },
  { reset: 'after' },
  { truncate: 0.5, creditHeaders: 'missing' },
].map((effects) => fake.fault({ operation: OPERATIONS, probability: SHARE, ...effects }))

const { url } = await fake.listen()
process.on('message', () => {
  const hits = faults.reduce((sum, fault) => sum + fault.hits, 0)
  process.send({ charged: fake.charged(), requests: fake.journal().at(-1)?.id ?? 0, hits })
})
process.once('disconnect', () => fake.close())
process.send({ baseUrl: url, apiKey: KEY, tokens: Object.values(fakeTokens) })
