/**
 * Tries new random cases: `npm run test:explore` draws a seed, prints it, and tries 40 times as many cases of each property as `npm test`.
 *
 *     npm run test:explore -- --minutes=60 test/feed
 *
 * draws one seed after the other for an hour, and tries the properties below `test/feed` only.
 */
import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'

/** Those without a build. Over real connections the cases are the same. */
const PROJECTS = ['--project=unit', '--project=integration', '--project=servers']
const TIMES = '40'
const MAX_SEED = 2 ** 31

const { values, positionals } = parseArgs({ options: { minutes: { type: 'string' } }, allowPositionals: true })
const until = Date.now() + Number(values.minutes ?? 0) * 60_000

const failed: string[] = []
let rounds = 0
do {
  const { ETN_MARKET_TEST_SEED = String(randomInt(MAX_SEED)) } = process.env
  rounds++
  process.stdout.write(`Seed ${ETN_MARKET_TEST_SEED}, ${TIMES} times as many cases\n`)
  const args = ['vitest', 'run', '--tags-filter=property', ...PROJECTS, ...positionals]
  const env = { ...process.env, ETN_MARKET_TEST_SEED, ETN_MARKET_TEST_TIMES: TIMES }
  const { status } = spawnSync('npx', args, { env, stdio: 'inherit' })
  if (status !== 0) failed.push(ETN_MARKET_TEST_SEED)
} while (Date.now() < until)

process.stdout.write(`${rounds - failed.length} rounds passed, ${failed.length} failed\n`)
if (failed.length > 0) {
  process.stdout.write(`Failed with ETN_MARKET_TEST_SEED=${failed.join(', ')}\n`)
  process.exitCode = 1
}
