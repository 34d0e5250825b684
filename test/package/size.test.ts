import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { ROOT } from './pack.ts'

/** Bundles and minifies a script beside the build: the bytes, gzipped, that load at once and on demand, and the text of the first ones. */
async function measure(contents: string, platform: 'browser' | 'node' = 'browser', external: readonly string[] = []) {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: join(ROOT, 'dist') },
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    platform,
    target: 'es2022',
    outdir: 'bundle',
    write: false,
    metafile: true,
    logLevel: 'silent',
    external: ['msw', ...external],
  })
  const entries = Object.entries(metafile.outputs).filter(([, { entryPoint }]) => entryPoint === '<stdin>')
  const atOnce = new Set(entries.map(([path]) => path))
  for (const path of atOnce)
    for (const { path: next, kind, external } of metafile.outputs[path]?.imports ?? [])
      if (kind === 'import-statement' && !external) atOnce.add(next)
  const names = new Set([...atOnce].map((path) => basename(path)))
  const [first, later] = [true, false].map((isFirst) =>
    outputFiles.filter(({ path }) => names.has(basename(path)) === isFirst),
  ) as [typeof outputFiles, typeof outputFiles]
  const sizeOf = (files: typeof outputFiles) =>
    files.reduce((sum, file) => sum + gzipSync(file.contents, { level: 9 }).length, 0)
  return { first: sizeOf(first), later: sizeOf(later), text: first.map(({ text }) => text).join('\n') }
}

const kB = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`

/** What an application shares with its own copies. */
const SHARED = ['ky', 'p-retry', 'zod']

/**
 * What each import costs a page, and why. A ceiling is the size of the day on which it was set, rounded up to the next half
 * kilobyte, or closer for what is small. What needs more saves it elsewhere, or says here what for.
 */
const CEILINGS = [
  // The steps of a call and their errors 9, budgets with and without a store 4, guards and operations 2.4, secrets 1.4, sweeps 0.7, the
  // way into a fleet 0.3; a balance for each key, windows that no clock moves, bounded answers, the step at which a connection failed,
  // the limit of a sweep over its runs and the end of a silent batch 4; charges that a store refused, written later 0.2.
  // Hooks of our own shape need 0.3. What one looks for at first 1.0: a log that can be asked for 0.3 (its lines load when it is), headers
  // and cache of a call 0.2, the option that was meant 0.2, a client in ten lines, a missing key and User-Agent 0.3. The last look before the bytes, and answers that hooks replace, are 0.6.
  // Callers who keep their own limits in a shared request, batches that are reserved whole, losses with their age 0.6. Sweeps and the reader of
  // a stored budget load at once, in place of a second way in: 2.2. What stands between client and service is 1.6: answers of fronts, tunnels that a
  // proxy refuses, ages of answers, requests that Bun and Deno send once, one budget for each entry of a store. Clocks that sleep and have fractions 0.5.
  // Limits a day, names of budgets, and answers of hooks and for hooks that are refused 0.1. How old an answer is that calls share 0.1.
  {
    what: 'createClient, own code',
    code: "export { createClient } from './index.js'",
    ceiling: 41_200,
    external: SHARED,
  },
  // With ky 4.9 and p-retry 0.9. What React Native, older Workers and other realms lack or do otherwise is 0.3.
  { what: 'createClient', code: "export { createClient } from './index.js'", ceiling: 47_000 },
  // The operations 0.6, keccak 1.0, the checks of parameters 1.3 with their messages, the base of errors 0.7, bodies
  // that no reader shares or overflows on 0.3.
  { what: 'estimateCost', code: "export { estimateCost } from './index.js'", ceiling: 4_600 },
  // A file that computes the tables of keccak when it loads is never left out. What makes a line of any text, for a log, is in the same file: 0.1. It knows errors of other realms.
  { what: 'isEtnMarketError', code: "export { isEtnMarketError } from './index.js'", ceiling: 1_190 },
  // Bounded numbers of values in an answer, late writes of a budget and deadlines of calls that wait for a slot are 0.4 of it; a sweep that
  // ends without a retry of what was sent, and one whose ledger is shared by clients, 0.1. Thrown values that cannot be read 0.1.
  { what: 'the main entry, whole', code: "export * from './index.js'", ceiling: 49_500 },
  // Addresses, budgets and errors, which it shares with the client, are counted here again: 11. Prices, timetable and schedule 11, alerts and
  // changes 2, priorities 2, what a store shares 1.4. Streams load with their first use. Ages that count sleep 0.2, purchases that are whole and
  // told reasons of a stop 0.6, runtimes that lack something 0.3. The budget of a day has none of what budgets of users may state beside a limit.
  { what: 'etn-market/feed', code: "export * from './feed.js'", ceiling: 30_000 },
  // Nobody loads it without the fake, whose checks of options it shares: counted here again, they are 2.9. Handlers 0.8.
  { what: 'etn-market/msw', code: "export * from './msw.js'", ceiling: 4_000 },
  // Budgets, errors and operations, which it shares with the client, are counted here again: 8. Streams 2.5, the handler for Node 0.9, the
  // cookie of visitors 0.6, what the operator sees 0.5, the rate of requests 0.3, the listed tokens 0.4, one budget for each
  // entry of a store 0.5, ages that count sleep 0.4, streams that open before their list is known and what every refusal says 0.25. No page loads it.
  { what: 'etn-market/proxy', code: "export * from './proxy.js'", ceiling: 24_300 },
  // No page loads it. Its scripts 5, a balance for each key and the windows of a budget in them 1.1, sha1 and sha256 2; errors and keccak, which it shares with the client, are counted here again: 3.8. The ids
  // of operations 0.2. What a server has forgotten, and a configuration that can be changed 1.7.
  { what: 'etn-market/redis', code: "export * from './redis.js'", ceiling: 23_500 },
  // In these three, what they share with the feed is counted again: errors and checks 3, the requester of a feed 1, clocks 0.5, the checked store of a feed
  // 0.4. Series and their watches 2.1.
  { what: 'etn-market/candles', code: "export * from './candles.js'", ceiling: 8_500 },
  // Gaps 0.3, rows and closed candles 0.2, the table of buckets 0.1. The base of errors is in the same file as the check of a bucket: 0.8.
  {
    what: 'etn-market/candles without a feed',
    code: "export { closedOnly, fillGaps, mergeCandles, toOhlcv } from './candles.js'",
    ceiling: 1_500,
  },
  // Readers and what each has read 2, what a request asks for and costs 1, the guard of stored trades 0.1.
  { what: 'etn-market/trades', code: "export * from './trades.js'", ceiling: 8_700 },
  // Exact decimals 0.5, checksums of addresses 1.2, decimals of tokens 0.7, the state of a wallet 1.
  { what: 'etn-market/portfolio', code: "export * from './portfolio.js'", ceiling: 9_500 },
  // Here and in the small entries below, the refusal of unknown options is 0.15: with the errors of the package it would be 1.3.
  { what: 'etn-market/format', code: "export * from './format.js'", ceiling: 800 },
  // The option that was meant by an unknown one is 0.13 here and in the entries beside. Its reader 4.3, what it shows 1.5, errors 1.5, Retry-After 0.6, the guard of prices 0.06, ages that count sleep 0.4, waking and changes of addresses 0.3, apps 0.3, callbacks that are none 0.05, waits that roundings leave 0.02. No client, no feed, no schemas.
  { what: 'etn-market/stream', code: "export * from './stream.js'", ceiling: 7_530 },
  {
    what: 'a page that shows prices, with the hooks',
    code: "export { createPriceStream } from './stream.js'; export * from './react.js'",
    ceiling: 8_900,
    external: ['react'],
  },
  // The state of a feed's streams 0.1; price streams in place of a feed 0.1; a meter that counts sleep 0.5, its checked periods 0.1.
  { what: 'etn-market/react', code: "export * from './react.js'", ceiling: 2_100, external: ['react'] },
  {
    // One key for a duration in any case, and for a batch in any spelling, 0.06.
    what: 'etn-market/tanstack-query',
    code: "export * from './tanstack-query.js'",
    ceiling: 950,
    external: ['etn-market'],
  },
  { what: 'etn-market/otel', code: "export * from './otel.js'", ceiling: 950 },
  // No page of a user loads it. The schemas of its control routes are 3.
  { what: 'etn-market/fake', code: "export * from './fake.js'", ceiling: 54_500, platform: 'node' },
  // On Node size is time to load. To know at which step a connection failed takes 0.4, the file store with its lock, queue of writes and errors 2.9, bodies that do not decode 0.05, sockets of msw and nock, and Node's permission model 0.1, the thread of a lock 0.05, an atomic add 0.05.
  { what: 'etn-market/node', code: "export * from './node.js'", ceiling: 7_900, platform: 'node' },
] as const

describe('minified and gzipped', () => {
  test.each(CEILINGS)('$what loads at most $ceiling bytes at first', async ({ what, code, ceiling, ...rest }) => {
    const { platform, external } = rest as { platform?: 'node'; external?: readonly string[] }
    const { first } = await measure(code, platform, external)
    expect(first, `${what} is ${kB(first)}`).toBeLessThanOrEqual(ceiling)
    expect(first, `${what} is only ${kB(first)}: lower its ceiling`).toBeGreaterThan(ceiling * 0.85)
  })

  test('a page that shows prices has no client, and none of its packages', async () => {
    const code = "export { createPriceStream } from './stream.js'; export * from './react.js'"
    const { text, later } = await measure(code, 'browser', ['react'])
    // Messages and names that survive minifying: of zod, ky, p-retry, budgets and the operations.
    const foreign = /ZodMini|\$ZodType|kyInstance|HTTPError|onFailedAttempt|BudgetExceededError|token\.candles/
    expect(foreign.exec(text)?.[0]).toBeUndefined()
    expect(later).toBe(0)
    const client = await measure("export { createClient } from './index.js'")
    for (const word of ['HTTPError', 'onFailedAttempt', 'BudgetExceededError', 'token.candles'])
      expect({ word, isFound: client.text.includes(word) }).toEqual({ word, isFound: true })
  })

  test('what loads at first holds no zod', async () => {
    const { first, text } = await measure("export { createClient } from './index.js'")
    expect(/ZodMini|\$ZodType/.test(text), `zod is among the ${kB(first)} that load at first`).toBe(false)
    expect(/ZodMini|\$ZodType/.test((await measure("export * from 'zod/mini'")).text)).toBe(true)
  })

  test('the README names the ceilings', () => {
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
    const ceilingOf = (what: (typeof CEILINGS)[number]['what']) =>
      (CEILINGS.find((each) => each.what === what)?.ceiling ?? Number.NaN) / 1000
    const client = ceilingOf('createClient')
    expect(readme).toContain(
      `client ${client} kB, \`etn-market/feed\` ${ceilingOf('etn-market/feed')} kB, \`etn-market/stream\` with hooks ${ceilingOf('a page that shows prices, with the hooks')} kB`,
    )
    expect(readme).toContain(`/badge/client-${client}_kB_gzip-`)
  })
})
