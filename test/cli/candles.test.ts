import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Candle, createClient } from 'etn-market'
import { createFakeService, fakeTokens } from 'etn-market/fake'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseCsv, toCsv, toPlainNumber } from '../../src/cli/candle-csv.ts'
import { openSeriesFile } from '../../src/cli/series-file.ts'
import { syncSeries } from '../../src/cli/sync-series.ts'
import { createVirtualClock } from '../support/clock.ts'
import { testProperty } from '../support/property.ts'
import { createScene } from './program.ts'

const { BOLT, CORE } = fakeTokens
const HOUR = 3_600

test('prints a chart with high, low and both times, and writes an SVG for light and dark', async () => {
  const { run, folder } = await createScene()
  const { code, stdout } = await run(['candles', BOLT, '--bucket', '4h', '--limit', '60', '--svg', 'bolt.svg'])
  expect(code).toBe(0)
  const lines = stdout.split('\n')
  expect(lines[0]).toBe(`${BOLT}, 4h, USD`)
  expect(lines[1]).toMatch(/^Last 0\.\d+ \([+-][\d.]+ %\)$/)
  expect(lines[2]).toMatch(/^High 0\.\d+ \d{4}-\d\d-\d\d \d\d:00 {2}Low 0\.\d+ \d{4}-\d\d-\d\d \d\d:00$/)
  expect(lines.filter((line) => /^ *0\.\d+ [┤┼]/.test(line)).length).toBeGreaterThan(5)
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80)
  const svg = readFileSync(join(folder, 'bolt.svg'), 'utf8')
  expect(svg).toMatch(/^<svg [\s\S]*prefers-color-scheme: dark[\s\S]*<\/svg>\n$/)
  expect(svg.match(/<g class="(up|down)">/g)).toHaveLength(60)
  expect(svg).not.toMatch(/NaN|Infinity|undefined/)
})

test('prints CSV with all digits, oldest first, and the candles as JSON', async () => {
  const { run, json } = await createScene()
  const { stdout } = await run(['candles', '--csv', BOLT, '--limit', '30'])
  const { data } = await json(['candles', BOLT, '--limit', '30'])
  const candles = data as Candle[]
  expect(stdout.split('\n')[0]).toBe('time,open,high,low,close,volume,count')
  expect(stdout.split('\n')[1]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:00:00Z,/)
  expect(parseCsv(stdout)?.slice(0, -1)).toEqual(candles.slice(0, -1))
  expect(candles.map(({ time }) => time)).toEqual(candles.map(({ time }) => time).sort())
})

testProperty(
  'a number in CSV is the same number without an exponent',
  fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
    const text = toPlainNumber(number)
    expect(text).toMatch(/^-?\d+(\.\d+)?$/)
    expect(Number(text)).toBe(number === 0 ? 0 : number)
  }),
  { cases: 100 },
)

test('--sync buys what is missing, and refuses another file before it spends', async () => {
  const { run, json, fake, folder, write } = await createScene()
  const sync = ['candles', BOLT, '--sync', 'bolt.csv']
  expect((await run([...sync, '--limit', '10'])).stdout).toBe('bolt.csv: 10 added, 0 updated, 10 candles.\n')
  const torn = join(folder, 'bolt.csv')
  writeFileSync(torn, readFileSync(torn, 'utf8').slice(0, -9))
  expect(await json(sync)).toMatchObject({ code: 0, data: { file: 'bolt.csv', total: 10 } })
  // Each one has at most one candle more than the hours that began meanwhile.
  expect(fake.charged()).toBeLessThanOrEqual(110 + 103)
  const charged = fake.charged()
  write('other.csv', 'a,b\n1,2\n')
  for (const [args, message] of [
    [['candles', CORE, '--sync', 'bolt.csv'], `it holds another series (${BOLT}, 1h, USD). Nothing was sent.`],
    [['candles', BOLT, '--sync', 'bolt.csv', '--bucket', '4h'], 'it holds another series'],
    [['candles', BOLT, '--sync', 'other.csv'], 'other.csv.json, which says of which token it is, cannot be read'],
    [['candles', BOLT, '--sync', 'bolt.txt'], 'it must end in .csv, .sqlite or .db'],
    [['candles', BOLT, '--svg', 'no/where.svg'], '--svg no/where.svg: there is no such file or folder.'],
    [['candles', BOLT, '--csv', folder], 'it is a folder'],
    [['candles', BOLT, '--bucket', '2h'], 'invalid bucket: "2h". It must be one of 1m, 15m, 1h, 4h, 1d.'],
    [['candles'], "missing required argument 'address'"],
  ] as const) {
    const { code, stderr } = await run(args)
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
  }
  expect(fake.charged()).toBe(charged)
})

test('--sync with SQLite works where Node has it, and says so where it does not', async () => {
  const { run, fake } = await createScene()
  const { code, stdout, stderr } = await run(['candles', BOLT, '--sync', 'bolt.sqlite', '--limit', '5'])
  const hasSqlite = process.getBuiltinModule('node:sqlite' as 'node:fs') !== undefined
  if (hasSqlite) {
    expect([code, stdout]).toEqual([0, 'bolt.sqlite: 5 added, 0 updated, 5 candles.\n'])
    expect((await run(['candles', BOLT, '--sync', 'bolt.sqlite'])).stdout).toMatch(/ [56] candles\.\n$/)
  } else {
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/has no SQLite: use Node 22\.13 or newer, or a \.csv file/),
    ])
    expect(fake.journal()).toEqual([])
  }
})

testProperty(
  'a synchronised series equals one that is bought whole, however often it runs, for a candle more than what is new',
  async () => {
    const { folder } = await createScene()
    let run = 0
    return fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 5 * HOUR }), { minLength: 1, maxLength: 5 }),
      async (pauses) => {
        const clock = createVirtualClock()
        const fake = createFakeService({ clock })
        const client = createClient({ apiKey: fake.key, fetch: fake.fetch, clock })
        const name = `${run++}.csv`
        const csv = { name, path: join(folder, name) }
        const id = { token: BOLT, bucket: '1h', currency: 'USD' }
        let last = fake.now()
        for (const pause of [0, ...pauses]) {
          await clock.advance(pause * 1_000)
          const file = await openSeriesFile(csv, id)
          const now = fake.now() / 1_000
          await syncSeries(file, { bucket: '1h', limit: 24 }, now, (limit) => {
            const begun = Math.floor(fake.now() / 3_600_000) - Math.floor(last / 3_600_000)
            expect(limit).toBeLessThanOrEqual(pause === 0 && file.candles.length === 0 ? 24 : begun + 1)
            return client.token.candles({ address: BOLT, limit })
          })
          last = fake.now()
        }
        const whole = await client.token.candles({ address: BOLT, limit: 200 })
        const { candles } = await openSeriesFile(csv, id)
        const sorted = [...whole].sort((one, other) => one.time - other.time).slice(-candles.length)
        expect(toCsv(candles)).toBe(toCsv(sorted))
        await client.close()
      },
    )
  },
  { cases: 25 },
)
