/**
 * Records the answers that the bot needs for one check: `ETN_MARKET_API_KEY=… npx tsx examples/testing/record.ts`
 * writes `tape.json`, for at most 3,000 credits.
 */
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Client, createClient } from 'etn-market'
import { fakeTokens, record } from 'etn-market/fake'
import { createBot } from './bot.ts'

export const TAPE = fileURLToPath(new URL('tape.json', import.meta.url))

/** One check of the bot. The recording and its replay make the same calls. */
export async function checkOnce(client: Client, now: () => number) {
  const notes: string[] = []
  const bot = createBot({
    client,
    holdings: { [fakeTokens.BOLT]: 1_000 },
    sellBelow: {},
    sell() {},
    notify: (message) => void notes.push(message),
    clock: { now, sleep: async () => {} },
  })
  return { ...(await bot.check()), notes }
}

export async function recordTape(client: Client, to: string) {
  const tape = await record({ client, budget: { credits: 3_000 }, run: (own) => checkOnce(own, Date.now) })
  await writeFile(to, `${JSON.stringify(tape, null, 2)}\n`)
  return tape
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const client = createClient()
  const { entries } = await recordTape(client, TAPE)
  console.log(`${entries.length} answers for ${client.credits.charged} credits in ${TAPE}`)
  await client.close()
}
