// A program on a machine that sleeps: libfaketime sets its wall clock ahead, and its monotonic clock knows nothing of it. A file in place of
// /proc/uptime is the boot clock, where there is one.
import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { createBudget, createClient } from 'etn-market'
import { createFakeService, fakeTokens } from 'etn-market/fake'
import { createPriceFeed } from 'etn-market/feed'

const { FAKETIME_TIMESTAMP_FILE = '', SLEEPER_UPTIME_FILE = '' } = process.env
const DAY = 86_400_000
const HOURS = 25

async function sleepMachine() {
  if (SLEEPER_UPTIME_FILE !== '') {
    const seconds = Number.parseFloat(readFileSync(SLEEPER_UPTIME_FILE, 'utf8')) + HOURS * 3_600
    writeFileSync(SLEEPER_UPTIME_FILE, `${seconds.toFixed(2)} 0.00\n`)
  }
  writeFileSync(FAKETIME_TIMESTAMP_FILE, `+${HOURS}h`)
  await setTimeout(20)
}

const service = createFakeService()
const client = createClient({ apiKey: service.key, fetch: service.fetch })
const feed = createPriceFeed(client)
const stored = createBudget({ credits: 100, windowMs: DAY, store: new Map() })
const memory = createBudget({ credits: 100, windowMs: DAY })
const address = fakeTokens.BOLT

await feed.price(address)
await stored.load()
for (const budget of [stored, memory]) {
  const reservation = await budget.reserve(100)
  await reservation.confirm()
  reservation.settle(100)
}
// A key that is refused for a second: the next call waits.
service.fault({ status: 429, retryAfter: 1, times: 1 })
await client.etn.price({}, { retry: false }).catch(() => {})
const sentBefore = service.journal().length
const parked = client.etn.price({}, { deadlineMs: 2_500 }).catch((error) => error)
await setTimeout(20)

await sleepMachine()

const known = feed.peek(address)
const resetsInMs = Number(stored.resetsAt) - Date.now()
const outcome = process.argv.includes('--wait') ? await parked : undefined
const sent = service.journal().length - sentBefore
// Nothing holds up what comes now, for a feed of its own.
const other = createClient({ apiKey: service.key, fetch: service.fetch })
const fresh = process.argv.includes('--wait') ? undefined : await createPriceFeed(other).price(address)
process.stdout.write(
  JSON.stringify({
    stale: known?.stale,
    resetsInMs,
    stored: stored.available,
    memory: memory.available,
    code: outcome?.code,
    attempts: outcome?.attempts,
    sent,
    freshAgeMs: fresh?.ageMs,
  }),
)
process.exit()
