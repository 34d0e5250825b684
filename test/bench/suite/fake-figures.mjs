/** Measures the fake alone, in a process of its own: answers of its largest routes, and many suites side by side. */
import { createClient } from 'etn-market'
import { createFakeService } from 'etn-market/fake'

const address = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'
const MINE = '0xaAaAaAaaAaAaAaaAaAAAAAAAAaaaAaAaAaaAaaAa'
/** Answers in a turn. */
const ANSWERS = 300
const TURNS = 5
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
  /** The median of a few turns, after one that warms up. */
  const answerMs = async (fetch) => {
    const turns = []
    for (let turn = 0; turn <= TURNS; turn++) {
      const ms = await cpuMs(async () => {
        for (let i = 0; i < ANSWERS; i++) await (await fetch(url, init)).text()
      })
      if (turn > 0) turns.push(ms / ANSWERS)
    }
    return turns.sort((a, b) => a - b)[(TURNS - 1) / 2]
  }
  const ms = await answerMs(fake.fetch)
  return { perSecond: 1_000 / ms, ratio: ms / (await answerMs(constant)) }
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
  history: await answer(`/tokens/52014/${address}/history?duration=YEAR`),
})
process.disconnect()
