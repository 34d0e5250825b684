import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Candle, createClient } from 'etn-market'
import { createFakeService, type FakeServiceOptions, fakeTokens } from 'etn-market/fake'
import fc from 'fast-check'
import wasm from 'node-sqlite3-wasm'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { parseCsv, toCsv, toPlainNumber } from '../../src/candles/csv.ts'
import { openSeriesFile } from '../../src/cli/series.ts'
import { createVirtualClock } from '../support/clock.ts'
import { testProperty } from '../support/property.ts'
import { createScene, listKnownTokens } from './program.ts'

const { BOLT, CORE } = fakeTokens
const HOUR = 3_600
const HOUR_MS = 3_600_000

/** A series that is kept up to date, begun with some candles. */
async function createSeries(limit: number, options: FakeServiceOptions = {}) {
  const scene = await createScene(options)
  const path = join(scene.folder, 'bolt.csv')
  const sync = ['candles', BOLT, '--sync', 'bolt.csv', '--limit', String(limit)]
  await scene.run(sync)
  const read = () => readFileSync(path, 'utf8')
  return { ...scene, path, sync, read, candles: () => parseCsv(read()) }
}

/** Uses a database as another program does. */
function inDatabase<T>(path: string, use: (database: InstanceType<typeof wasm.Database>) => T): T {
  const database = new wasm.Database(path)
  try {
    return use(database)
  } finally {
    database.close()
  }
}

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

test.each([
  [[0.5, 0.5, 0.5], ['0.50']],
  [[0.000000012345, 0.000000012345], ['0.0₇12345']],
  [[0, 0], ['0']],
  [[1_234.5], ['1,234.50']],
  [
    [0, 12],
    ['12.00', '11.00', '10.00', '9.00', '8.00', '7.00', '6.00', '5.00', '4.00', '3.00', '2.00', '1.00', '0'],
  ],
  // What the digits tell apart, and no more.
  [[0.5, 0.5 + Number.EPSILON / 2], Array.from({ length: 13 }, () => expect.stringMatching(/^0\.5/))],
  [[999_999, 1_000_001], Array.from({ length: 13 }, () => expect.stringMatching(/^(999,999|1,000,00[01])\.\d/))],
])('the axis of closes %j is their prices', async (closes, labels) => {
  const { run, fake } = await createScene()
  const candle = { volume: 1, count: 1 }
  fake.stub('token.candles', () =>
    closes.map((close, index) => ({ ...candle, time: index * HOUR, open: close, high: close, low: close, close })),
  )
  const { code, stdout } = await run(['candles', BOLT, '--bucket', '1h', '--limit', String(closes.length)])
  expect(code).toBe(0)
  expect(Array.from(stdout.matchAll(/^ *(\S+) [┤┼]/gm), ([, label]) => label)).toEqual(labels)
})

test('prints CSV with all digits, oldest first, and the candles as JSON', async () => {
  const { run, json } = await createScene()
  const { stdout } = await run(['candles', '--csv', BOLT, '--limit', '30'])
  const { data } = await json(['candles', BOLT, '--limit', '30'])
  const candles = data as Candle[]
  expect(stdout.split('\n')[0]).toBe('time,open,high,low,close,volume,count')
  expect(stdout.split('\n')[1]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:00:00Z,/)
  expect(parseCsv(stdout).slice(0, -1)).toEqual(candles.slice(0, -1))
  expect(candles.map(({ time }) => time)).toEqual(candles.map(({ time }) => time).sort())
})

test('one candle is no "1 candles"', async () => {
  const { run } = await createScene()
  const { stdout, stderr } = await run(['candles', BOLT, '--sync', 'bolt.csv', '--limit', '1'])
  expect(stdout).toBe('bolt.csv: 1 added, 0 updated, 1 candle.\n')
  expect(stderr).toMatch(/^1 candle: /)
  const { stdout: ofFolder } = await run(['candles', '--all-listed', '--csv', 'all', '--limit', '1', '--yes'])
  expect(ofFolder).toMatch(/^all\/\S+: 1 candle\.$/m)
  expect(ofFolder).not.toMatch(/\b1 (candle|token)s/)
})

/** Candles with a gap of two hours, one of them twice and none in order, the last one open. */
async function createGaps(options: FakeServiceOptions = {}) {
  const scene = await createScene(options)
  const now = Math.floor(scene.fake.now() / HOUR_MS) * HOUR
  const [first, second, open] = [now - 4 * HOUR, now - 3 * HOUR, now]
  const candle = { open: 1, high: 3, low: 0.5, close: 2, volume: 10, count: 4 }
  scene.fake.stub('token.candles', () => [
    { ...candle, time: open },
    { ...candle, time: second, close: 0.000000012345 },
    { ...candle, time: first },
    { ...candle, time: first, close: 1.5 },
  ])
  return { ...scene, first, second, open, candle }
}

test('--fill, --closed and --format give what etn-market/candles does', async () => {
  const { run, json, first, second, open, candle } = await createGaps()
  const close = 0.000000012345
  const added = (time: number) => ({
    time,
    open: close,
    high: close,
    low: close,
    close,
    volume: 0,
    count: 0,
    filled: true,
  })
  const plain = [
    { ...candle, time: first, close: 1.5 },
    { ...candle, time: second, close },
  ]
  const closed = ['candles', BOLT, '--limit', '4', '--closed']
  const read = async (...args: string[]) => (await json([...closed.slice(0, 4), ...args])).data
  expect(await read()).toEqual([...plain, { ...candle, time: open }])
  expect(await read('--closed')).toEqual(plain)
  const filled = [...plain, { ...candle, time: open }].map((one) => ({ ...one, filled: false }))
  expect(await read('--fill')).toEqual([
    ...filled.slice(0, 2),
    added(second + HOUR),
    added(second + 2 * HOUR),
    ...filled.slice(2),
  ])
  // Without --json, too: rows are JSON.
  const rows = await run([...closed, '--format', 'ohlcv'])
  expect([rows.code, JSON.parse(rows.stdout)]).toEqual([
    0,
    [
      [first * 1_000, 1, 3, 0.5, 1.5, 10],
      [second * 1_000, 1, 3, 0.5, close, 10],
    ],
  ])
  const { stdout } = await run([...closed, '--fill', '--csv'])
  expect(stdout.split('\n').map((line) => line.replace(/^[^,]*,/, ''))).toEqual([
    'open,high,low,close,volume,count,filled',
    '1,3,0.5,1.5,10,4,false',
    '1,3,0.5,0.000000012345,10,4,false',
    '',
  ])
})

test('--closed leaves the open candle out where the clock of the machine is ahead', async () => {
  const { json, first, second } = await createGaps({ clock: { now: () => Date.now() - 100 * HOUR_MS } })
  // The service says in a header what time it is.
  const { data } = await json(['candles', BOLT, '--limit', '4', '--closed'])
  expect((data as Candle[]).map(({ time }) => time)).toEqual([first, second])
})

test('--sync takes no candle that was added, and leaves none out', async () => {
  const { run, fake } = await createScene()
  for (const option of [['--fill'], ['--closed'], ['--format', 'ohlcv']]) {
    const { code, stderr } = await run(['candles', BOLT, '--sync', 'bolt.csv', ...option])
    expect([code, stderr]).toEqual([2, `error: ${option[0]} and --sync cannot be given together.\n`])
  }
  expect((await run(['candles', BOLT, '--csv', 'a.csv', '--format', 'ohlcv'])).code).toBe(2)
  expect(fake.journal()).toEqual([])
})

test('a CSV file that was filled is none to go on from', async () => {
  const { run, fake, read } = await createSeries(3)
  await run(['candles', BOLT, '--csv', 'bolt.csv', '--fill', '--limit', '5'])
  expect(read()).toContain(',filled\n')
  const charged = fake.charged()
  expect((await run(['candles', BOLT, '--sync', 'bolt.csv'])).code).toBe(2)
  expect(fake.charged()).toBe(charged)
})

test('--csv and --json, which both print, are wrong usage', async () => {
  const { json, fake } = await createScene()
  for (const args of [
    ['candles', BOLT, '--csv'],
    ['candles', '--csv', BOLT],
  ])
    expect(await json(args)).toMatchObject({ code: 2, data: { error: { code: 'invalid_usage' } } })
  expect(fake.journal()).toEqual([])
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

test('--sync buys what is missing', async () => {
  const { run, json, fake, folder } = await createScene()
  const sync = ['candles', BOLT, '--sync', 'bolt.csv']
  expect((await run([...sync, '--limit', '10'])).stdout).toBe('bolt.csv: 10 added, 0 updated, 10 candles.\n')
  const torn = join(folder, 'bolt.csv')
  writeFileSync(torn, readFileSync(torn, 'utf8').slice(0, -9))
  expect(await json(sync)).toMatchObject({ code: 0, data: { file: 'bolt.csv', total: 10 } })
  // Each one has at most one candle more than the hours that began meanwhile.
  expect(fake.charged()).toBeLessThanOrEqual(110 + 103)
})

test.each([
  ['of another token', ['bolt.csv', CORE], `bolt.csv: it holds another series (${BOLT}, 1h, USD). Nothing was sent.`],
  ['of another bucket', ['bolt.csv', BOLT, '--bucket', '4h'], 'bolt.csv: it holds another series'],
  ['of an unknown token', ['other.csv', BOLT], 'other.csv.json, which says of which token it is, cannot be read'],
  ['of another token, in SQLite', ['bolt.db', CORE], `bolt.db: it holds another series (${BOLT}, 1h, USD).`],
  ['that is no database', ['text.db', BOLT], '--sync text.db: file is not a database.'],
])('--sync refuses a file %s before it spends', async (_, [name = '', ...args], message) => {
  const { run, fake, write } = await createScene()
  write('other.csv', 'a,b\n1,2\n')
  write('text.db', 'This is some text, which is no database at all. '.repeat(50))
  if (name.startsWith('bolt')) await run(['candles', BOLT, '--sync', name, '--limit', '5'])
  const charged = fake.charged()
  const { code, stderr } = await run(['candles', ...args, '--sync', name])
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
  expect(fake.charged()).toBe(charged)
})

test.each([
  ['behind', 100 * HOUR_MS],
  ['ahead', -100 * HOUR_MS],
])('--sync leaves no candle out where the clock of the machine is %s', async (_, offset) => {
  const series = await createSeries(5, { clock: { now: () => Date.now() + offset } })
  const { run, json, fake, sync } = series
  fake.advance(4 * HOUR_MS)
  const { code, stderr } = await run(sync)
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('warning')])
  const candles = series.candles()
  const { data } = await json(['candles', BOLT, '--limit', String(candles.length)])
  expect(candles.slice(0, -1)).toEqual((data as Candle[]).slice(0, -1))
})

test.each([
  ['a few hours', 20],
  ['years', 90_000],
])('--sync asks once where a service whose time was wrong left candles %s ahead', async (_, hours) => {
  const { run, fake, sync, path, candles } = await createSeries(40)
  const known = candles()
  const ahead = known.slice(-2).map((candle) => ({ ...candle, time: candle.time + hours * HOUR }))
  writeFileSync(path, toCsv([...known, ...ahead]))
  writeFileSync(`${path}.json`, readFileSync(`${path}.json`, 'utf8').replace('"count":40', '"count":42'))
  // The fake goes by it, too.
  const begun = Date.now()
  const now = vi.spyOn(Date, 'now')
  onTestFinished(() => now.mockRestore())
  for (const later of [3, 6]) {
    now.mockReturnValue(begun + later * HOUR_MS)
    const before = fake.journal().length
    await run(sync)
    expect(fake.journal().length - before).toBe(1)
  }
  if (hours > 500) return
  // Their time has come: what lies before them is bought, though the file has newer ones.
  now.mockReturnValue(begun + 30 * HOUR_MS)
  await run(sync)
  const times = candles().map(({ time }) => time)
  expect(times.every((time, index) => index === 0 || time - (times[index - 1] ?? 0) === HOUR)).toBe(true)
})

test.each([
  ['a line without its last cells', (line: string) => line.split(',').slice(0, 4).join(',')],
  ['a decimal comma', (line: string) => line.replace(',0.', ',0,')],
  ['a time of a spreadsheet', (line: string) => line.replace(/^[^,]*/, '22.11.2026 07:00')],
  ['a time without a zone', (line: string) => line.replace('Z,', ',')],
  ['a number with a unit', (line: string) => `${line} trades`],
  ['an empty cell', (line: string) => line.replace(/,[^,]*$/, ',')],
])('--sync stops with the line number at %s, and buys nothing', async (_, edit) => {
  const { run, fake, sync, path, read } = await createSeries(8)
  const lines = read().split('\n')
  const edited = lines.with(5, edit(lines[5] ?? '')).join('\n')
  writeFileSync(path, edited)
  const charged = fake.charged()
  const { code, stderr } = await run(sync)
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^error: --sync bolt\.csv: line 6 cannot be read: "/)])
  expect([fake.charged(), read()]).toEqual([charged, edited])
})

test('--sync reads what an editor saved: a byte order mark, CRLF and empty lines', async () => {
  const { json, sync, path, read } = await createSeries(8)
  writeFileSync(path, `\ufeff${read().replaceAll('\n', '\r\n')}\r\n`)
  const { data } = await json(sync)
  expect(data).toMatchObject({ total: expect.toSatisfy((total: number) => total === 8 || total === 9) })
})

test('--sync keeps a symbolic link, the permissions, and one run at a time', async () => {
  const { run, fake, folder } = await createScene()
  mkdirSync(join(folder, 'data'))
  const [link, real] = [join(folder, 'bolt.csv'), join(folder, 'data/real.csv')]
  symlinkSync('data/real.csv', link)
  const sync = (name: string) => run(['candles', BOLT, '--sync', name, '--limit', '8'])
  expect((await sync('bolt.csv')).code).toBe(0)
  chmodSync(real, 0o640)
  const charged = fake.charged()
  const both = await Promise.all([sync('bolt.csv'), sync('data/real.csv')])
  expect(both.map(({ code }) => code).sort()).toEqual([0, 1])
  expect(both.map(({ stderr }) => stderr).join('')).toMatch(
    /error: --sync \S+: another run is using it\. Nothing was sent\./,
  )
  expect(fake.charged() - charged).toBeLessThanOrEqual(102)
  expect(lstatSync(link).isSymbolicLink()).toBe(true)
  expect(statSync(real).mode & 0o777).toBe(0o640)
  expect(readdirSync(join(folder, 'data')).sort()).toEqual(['real.csv', 'real.csv.json'])
})

test('--sync with SQLite keeps the series up to date, beside what else the file has', async () => {
  const { run, json, fake, folder } = await createScene()
  const sync = ['candles', BOLT, '--sync', 'bolt.sqlite', '--limit', '5']
  expect((await run(sync)).stdout).toBe('bolt.sqlite: 5 added, 0 updated, 5 candles.\n')
  const path = join(folder, 'bolt.sqlite')
  inDatabase(path, (database) => database.exec("CREATE TABLE mine (word TEXT); INSERT INTO mine VALUES ('kept')"))
  fake.advance(3 * HOUR_MS)
  expect(await json(sync)).toMatchObject({ code: 0, data: { added: 3, total: 8 } })
  const [count, mine] = inDatabase(path, (database) => [
    database.all('SELECT count(*) AS count, max(time) - min(time) AS span FROM candles'),
    database.all('SELECT word FROM mine'),
  ])
  expect([count, mine].map((rows) => ({ ...(rows?.[0] as object) }))).toEqual([
    { count: 8, span: 7 * HOUR },
    { word: 'kept' },
  ])
  expect(readdirSync(folder).filter((name) => name.startsWith('bolt'))).toEqual(['bolt.sqlite'])
  const charged = fake.charged()
  inDatabase(path, (database) =>
    database.exec("UPDATE candles SET close = 'cheap' WHERE time = (SELECT min(time) FROM candles)"),
  )
  expect((await run(sync)).stderr).toMatch(/^error: --sync bolt\.sqlite: the candle of \S+Z cannot be read\.\n$/)
  expect(fake.charged()).toBe(charged)
})

test('--sync waits for a program that reads a database by node-sqlite3-wasm, and lets others read while it buys', async () => {
  const { run, fake, folder } = await createScene()
  const sync = ['candles', BOLT, '--sync', 'bolt.sqlite', '--limit', '5']
  await run(sync)
  fake.reset()
  let answer = () => {}
  const isAnswered = new Promise<boolean>((resolve) => {
    answer = () => resolve(true)
  })
  fake.fault({ operation: 'token.candles', when: () => isAnswered, delayMs: 0 })
  const path = join(folder, 'bolt.sqlite')
  const count = 'SELECT count(*) AS count FROM candles'
  const reader = new wasm.Database(path)
  reader.exec('BEGIN')
  expect(reader.all(count)).toEqual([{ count: 5 }])
  const running = run(sync)
  await sleep(200)
  expect(fake.journal()).toEqual([])
  reader.close()
  await expect.poll(() => fake.journal().length).toBe(1)
  expect(inDatabase(path, (database) => database.all(count))).toEqual([{ count: 5 }])
  answer()
  expect(await running).toMatchObject({ code: 0, stdout: expect.stringContaining('5 candles.') })
  expect(readdirSync(folder).filter((name) => name.startsWith('bolt'))).toEqual(['bolt.sqlite'])
})

testProperty(
  'a synchronised series equals one that is bought whole, whatever the clock says, for a candle more than what is new where it is right',
  async () => {
    const { folder } = await createScene()
    let run = 0
    const wrong = fc.integer({ min: -400 * 86_400, max: 400 * 86_400 })
    return fc.asyncProperty(
      fc.constantFrom(...Object.values(fakeTokens)),
      fc.constantFrom(['1m', 60] as const, ['1h', HOUR] as const),
      fc.array(fc.tuple(fc.integer({ min: 0, max: 5 * HOUR }), fc.oneof(fc.constant(0), wrong)), {
        minLength: 1,
        maxLength: 5,
      }),
      async (token, [bucket, seconds], pauses) => {
        const clock = createVirtualClock()
        const fake = createFakeService({ clock })
        const client = createClient({ apiKey: fake.key, fetch: fake.fetch, clock })
        const name = `${run++}.csv`
        const csv = { name, path: join(folder, name) }
        const id = { address: token, bucket, currency: 'USD' } as const
        const bucketOf = (ms: number) => Math.floor(ms / 1_000 / seconds)
        for (const [pause, error] of [[0, 0] as const, ...pauses]) {
          await clock.advance(pause * 1_000)
          const file = await openSeriesFile('--sync', csv, id)
          const last = file.candles.at(-1)
          const buy = (limit: number) => {
            const begun = last === undefined ? 23 : bucketOf(fake.now()) - Math.floor(last.time / seconds)
            if (error === 0) expect(limit).toBeLessThanOrEqual(begun + 1)
            return client.token.candles({ address: token, limit, bucket })
          }
          await file.sync({ limit: 24, now: fake.now() / 1_000 + error, buy })
          file[Symbol.dispose]()
        }
        const whole = await client.token.candles({ address: token, limit: 500, bucket })
        const file = await openSeriesFile('--sync', csv, id)
        const { candles } = file
        file[Symbol.dispose]()
        const sorted = [...whole].sort((one, other) => one.time - other.time)
        const from = Math.max(sorted[0]?.time ?? 0, candles[0]?.time ?? 0)
        const shown = (list: readonly Candle[]) => toCsv(list.filter(({ time }) => time >= from))
        expect(shown(candles)).toBe(shown(sorted))
        await client.close()
      },
    )
  },
  { cases: 6 },
)

const ALL: readonly string[] = Object.values(fakeTokens)

describe('a gap in a series', () => {
  const DAY_MS = 24 * HOUR_MS

  test('of more candles than the service returns is reported once, for each of several tokens', async () => {
    const { run, json, fake, folder } = await createScene()
    const sync = ['candles', BOLT, CORE, '--sync', 'candles', '--limit', '5']
    await run(sync)
    fake.advance(40 * DAY_MS)
    // The clock of the program stands still: it learns of the outage from the answers.
    const { code, data } = await json(sync)
    const outcomes = data as { gap?: { from: number; to: number } }[]
    expect(code).toBe(0)
    expect(outcomes).toHaveLength(2)
    for (const { gap } of outcomes) expect((gap?.to ?? 0) - (gap?.from ?? 0)).toBeGreaterThan(300 * HOUR)
    expect((await run(sync)).stderr).not.toContain('gap')
    fake.advance(40 * DAY_MS)
    const { stderr } = await run(sync)
    expect(stderr.match(/warning: candles\S+\.csv: a gap stays from \S+Z to \S+Z/g)).toHaveLength(2)
    expect(readdirSync(join(folder, 'candles'))).toHaveLength(4)
  })

  test.each(['bolt.csv', 'bolt.sqlite'])(
    'that can still be filled is bought at the next sync of %s, and its cost said first',
    async (name) => {
      const { run, fake, folder } = await createScene()
      const sync = ['candles', BOLT, '--sync', name, '--limit', '50']
      await run(sync)
      const path = join(folder, name)
      const whole = await openSeriesFile('--sync', { name, path }, { address: BOLT, bucket: '1h', currency: 'USD' })
      const { candles } = whole
      whole[Symbol.dispose]()
      if (name.endsWith('.csv')) writeFileSync(path, toCsv(candles.filter((_, index) => index < 10 || index > 20)))
      else
        inDatabase(path, (database) =>
          database.exec(`DELETE FROM candles WHERE time BETWEEN ${candles[10]?.time} AND ${candles[20]?.time}`),
        )
      const { stdout, stderr } = await run(sync)
      expect(stderr).toMatch(/4[12] candles: 100 to 14[12] credits/)
      expect(stdout).toMatch(/: 1[12] added, /)
      const charged = fake.charged()
      await run(sync)
      expect(fake.charged() - charged).toBeLessThanOrEqual(102)
    },
  )

  test('that a failed purchase leaves is filled at the next sync, and what was bought is kept', async () => {
    const { run, fake, sync, candles } = await createSeries(5)
    fake.advance(100 * HOUR_MS)
    fake.fault({ operation: 'token.candles', nth: 2, status: 404 })
    expect((await run(sync)).code).toBe(1)
    const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 100 * HOUR_MS)
    onTestFinished(() => now.mockRestore())
    expect((await run(sync)).code).toBe(0)
    // The time of the fake moved on with it.
    expect([205, 206]).toContain(candles().length)
  })
})

describe('several tokens', () => {
  test('are kept up to date in a folder, each in a file of its own, for what is missing', async () => {
    const { run, json, fake, folder, write } = await createScene()
    write('tokens.txt', ALL.slice(0, 2).join('\n'))
    const sync = ['candles', 'tokens.txt', ALL[2] ?? '', '--limit', '30', '--sync', 'candles']
    const first = await run(sync)
    expect([first.code, fake.charged()]).toEqual([0, 3 * 130])
    expect(first.stderr).toContain('candles of 3 tokens: 300 to 390 credits')
    expect(first.stdout).toContain('3 of 3 tokens done, 0 failed.')
    const files = ALL.slice(0, 3).map((address) => `candles/${address}-1h-USD.csv`)
    for (const file of files) expect(readFileSync(join(folder, file), 'utf8').trim().split('\n')).toHaveLength(31)
    const { code, data } = await json(sync)
    expect([code, data]).toEqual([
      0,
      files.map((file, index) => expect.objectContaining({ address: ALL[index], file, added: 0, total: 30 })),
    ])
    // The open candle of each, and one more where an hour began in between.
    expect(fake.charged()).toBeLessThanOrEqual(3 * 130 + 3 * 102)
  })

  test('with --all-listed are all of token.list, which is bought once a week', async () => {
    const { json, fake } = await createScene()
    listKnownTokens(fake)
    const args = ['candles', '--all-listed', '--limit', '5', '--csv', 'new']
    for (const list of [600, 600]) {
      const { code, data } = await json(args)
      expect([code, (data as object[]).length]).toEqual([0, 2])
      expect(fake.charged({ operation: 'token.list' })).toBeLessThanOrEqual(list)
    }
    expect(fake.journal().filter(({ operation }) => operation === 'token.list')).toHaveLength(1)
  })

  test('fail one by one, and end where every further call must fail', async () => {
    const { run, json, fake } = await createScene()
    fake.fault({ operation: 'token.candles', nth: 2, status: 404 })
    const { code, data } = await json(['candles', ...ALL.slice(0, 3), '--limit', '5'])
    expect([code, (data as { error?: { code: string } }[]).map(({ error }) => error !== undefined)]).toEqual([
      1,
      [false, true, false],
    ])
    fake.fault({ status: 402, times: Number.POSITIVE_INFINITY })
    const refused = await run(['candles', ...ALL.slice(0, 3), '--limit', '5'])
    expect([refused.code, refused.stdout]).toEqual([1, '0 of 3 tokens done, 1 failed.\n'])
  })
})
