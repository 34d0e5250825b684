/** Reports which functions a call, a tick of a feed, a request of the proxy and a plan of two lines enter, in their order. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'

const { folder } = JSON.parse(process.env.JOB)
const load = (path) => import(pathToFileURL(join(folder, path)))

let entries
globalThis.__enter = (file, name) => entries?.push([file, name])

/** The functions that are entered until what `run` returns is settled. */
async function trace(run) {
  entries = []
  try {
    await run()
  } finally {
    const entered = entries
    entries = undefined
    trace.last = entered
  }
  return trace.last
}

const WARM_UP = 50
const EVERY_MS = 1_000
/** Until the feed knows how long answers take, it changes its plan. */
const WARM_UP_TICKS = 5
const { createClient } = await load('index.js')
const { createFakeService, fakeTokens } = await load('fake/index.js')
const { createPriceFeed } = await load('feed/index.js')
const { createProxy } = await load('proxy/index.js')

const KEY = 'esk_test_bench'
const fake = createFakeService({ keys: { [KEY]: 1_000_000_000 } })
const tokens = Object.values(fakeTokens).slice(0, 3)
const [address] = tokens
const client = createClient({ apiKey: KEY, fetch: fake.fetch })

// Its answer is made beforehand, so that the fake enters no function of the package meanwhile.
const made = await client.token.price({ address }).asResponse()
const text = await made.text()
const replayed = createClient({ apiKey: KEY, fetch: async () => new Response(text, { headers: made.headers }) })
for (let call = 0; call < WARM_UP; call++) await replayed.token.price({ address })
const price = await trace(() => replayed.token.price({ address }))

const feed = createPriceFeed(client)
const arrived = []
let onPrice = () => {}
const watch = feed.watch(tokens, {
  everyMs: EVERY_MS,
  onPrice(one) {
    arrived.push(one)
    onPrice()
  },
})
const nextTick = () =>
  new Promise((resolve) => {
    const wanted = arrived.length + tokens.length
    onPrice = () => {
      if (arrived.length >= wanted) setImmediate(resolve)
    }
  })
for (let tick = 0; tick < WARM_UP_TICKS; tick++) await nextTick()
const tick = await trace(nextTick)
watch.stop?.()
await feed.close()

const proxy = createProxy({ client, allow: ['token.price'], budget: false, basePath: '/' })
const ask = async () => (await proxy(new Request(`http://localhost/prices/52014/${address}`))).text()
await ask()
const hit = await trace(ask)
await sleep(10)
await proxy.close()
await client.close()
await replayed.close()

const plan = mkdtempSync(join(tmpdir(), 'etn-market-walk-'))
const { createHost } = await load('cli/host.js')
const { run } = await load('cli/program.js')
const { url } = await fake.listen()
writeFileSync(
  join(plan, 'plan.yaml'),
  `creditsPerDay: 100000
lines:
  - { operation: prices.batch, addresses: [${tokens}], every: 1h }
  - { operation: etn.price, every: 1h }
`,
)
process.chdir(plan)
Object.assign(process.env, { ETN_MARKET_API_KEY: KEY, ETN_MARKET_BASE_URL: url, XDG_CACHE_HOME: plan })
const printed = process.stdout.write
process.stdout.write = () => true
const charged = fake.charged()
const lines = await trace(async () => {
  const ended = run(['run', 'plan.yaml', '--yes'], createHost())
  while (fake.charged() < charged + 155) await sleep(5)
  await sleep(50)
  process.emit('SIGINT')
  // What the program still closes is no part of the way.
  await Promise.race([ended, sleep(5_000)])
})
process.stdout.write = printed
rmSync(plan, { recursive: true, force: true })
// Who gets it ends this process.
process.send({ price, tick, hit, lines })
