/** Measures the fake alone, in a process of its own: answers of its largest routes, and many suites side by side. */
import { createClient } from 'etn-market'
import { createFakeService } from 'etn-market/fake'

const address = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'
const MINE = '0xaAaAaAaaAaAaAaaAaAAAAAAAAaaaAaAaAaaAaaAa'
/** Answers in a block, and pairs of blocks: of the fake, and of a handler with a constant text. The first ones warm up. */
const ANSWERS = 60
const WARM_UP = 20
const PAIRS = 61
const SUITES = 200

/** Milliseconds of CPU time, all threads together. On an idle machine the wall time is shorter. */
async function cpuMs(work) {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/** The time of one answer, over that of a handler that returns the same text. */
async function answer(path) {
  const fake = createFakeService()
  const init = { headers: { authorization: `Bearer ${fake.key}` } }
  const url = fake.baseUrl + path
  const text = await (await fake.fetch(url, init)).text()
  const constant = async () => new Response(text, { headers: { 'content-type': 'application/json' } })
  const blockMs = (fetch) =>
    cpuMs(async () => {
      for (let i = 0; i < ANSWERS; i++) await (await fetch(url, init)).text()
    })
  const pairs = []
  for (let i = 0; i < WARM_UP + PAIRS; i++) {
    const ms = await blockMs(fake.fetch)
    pairs.push({ ms: ms / ANSWERS, ratio: ms / (await blockMs(constant)) })
  }
  const median = (figure) => {
    const sorted = pairs.slice(WARM_UP).map((pair) => pair[figure])
    return sorted.sort((a, b) => a - b)[(PAIRS - 1) / 2]
  }
  return { perSecond: 1_000 / median('ms'), ratio: median('ratio') }
}

/** The first 50 tokens of the list. */
async function addresses() {
  const fake = createFakeService()
  const client = createClient({ apiKey: fake.key, fetch: fake.fetch })
  return (await client.token.list({ limit: 50 })).map(({ address }) => address).join()
}

/** What a test does: a fake with data of its own, a client, a few calls, expectations, and the end. */
async function suite(seed, isListening) {
  const world = { tokens: [{ address: MINE, symbol: 'MINE', usd: '0.019' }] }
  const fake = createFakeService({ seed, world })
  const connection = isListening ? { baseUrl: (await fake.listen()).url } : { fetch: fake.fetch }
  const client = createClient({ apiKey: fake.key, retry: false, ...connection })
  fake.script('token.get', [{ status: 503 }, 'ok'])
  await client.token.price({ address: MINE })
  await client.token.list({ limit: 10 })
  await client.token.get({ address }).catch(() => {})
  await client.token.get({ address })
  await client.prices.batch({ addresses: [address, MINE] })
  fake.expectCredits({ 'token.price': 50, 'token.list': 150, 'token.get': 100, 'prices.batch': 120 })
  fake.expectNoUnusedFaults()
  await client.close()
  await fake.close()
}

const suites = (isListening) => () => Promise.all(Array.from({ length: SUITES }, (_, i) => suite(i, isListening)))

// The suites come first: a process that runs a team's tests has not warmed up either.
const inMemoryMs = await cpuMs(suites(false))
const listeningMs = await cpuMs(suites(true))
const createMs = await cpuMs(async () => {
  for (let seed = 0; seed < 1_000; seed++) createFakeService({ seed })
})
process.send({
  suites: SUITES,
  inMemoryMs,
  listeningMs,
  createUs: createMs,
  candles: await answer(`/tokens/52014/${address}/candles?bucket=1d&limit=500`),
  minutes: await answer(`/tokens/52014/${address}/candles?bucket=1m&limit=500`),
  batch: await answer(`/prices/52014?addresses=${await addresses()}`),
  history: await answer(`/tokens/52014/${address}/history?duration=YEAR`),
})
process.disconnect()
