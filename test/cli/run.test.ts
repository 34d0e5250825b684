import { existsSync, linkSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fakeTokens } from 'etn-market/fake'
import { expect, test } from 'vitest'
import { run as runProgram } from '../../src/cli/program.ts'
import { createHost, createScene, type Scene, type TestHost } from './program.ts'

const { BOLT, CORE, DYNO } = fakeTokens
const PLAN = `creditsPerDay: 100000
lines:
  - { operation: prices.batch, addresses: tokens.txt, every: 1h, for: dashboard, file: prices.jsonl }
  - { operation: locks.get, addresses: tokens.txt, every: 6h }
  - { operation: token.candles, addresses: [${BOLT}], every: 1h, params: { limit: 20 } }
  - { operation: etn.price, every: 1h, file: etn.jsonl }
`
/** What each line of it costs the first time. */
const COST = 130 + 3 * 2_000 + 120 + 25

function start({ folder, env }: Scene, args: readonly string[]): { host: TestHost; code: Promise<number | undefined> } {
  const host = createHost({ folder, env })
  return { host, code: runProgram(args, host) }
}

async function createPlan(text = PLAN): Promise<Scene> {
  const scene = await createScene()
  scene.write('tokens.txt', [BOLT, CORE, DYNO].join('\n'))
  scene.write('plan.yaml', text)
  return scene
}

/** Runs the plan until it has printed this and bought everything once, ends it with a signal, and returns what it printed. */
async function runUntil(
  scene: Scene,
  printed: RegExp,
  args: readonly string[] = [],
  { signal = 'SIGINT', cost = COST, file }: { signal?: 'SIGINT' | 'SIGTERM'; cost?: number; file?: string } = {},
) {
  const { host, code } = start(scene, ['run', 'plan.yaml', '--yes', ...args])
  await expect.poll(() => host.printed().stdout).toMatch(printed)
  await expect.poll(() => scene.fake.charged()).toBe(cost)
  // What is charged may not have arrived yet.
  if (file !== undefined) await expect.poll(() => existsSync(join(scene.folder, file))).toBe(true)
  host.emit(signal)
  return { code: await code, ...host.printed() }
}

test('a plan is carried out: prices, a sweep, candles and a call, in files beside it, until a signal ends it', async () => {
  const scene = await createPlan()
  const { folder, fake } = scene
  const { code, stdout, stderr } = await runUntil(scene, /3 of 3 done[\s\S]*20 added|20 added[\s\S]*3 of 3 done/, [], {
    file: 'prices.jsonl',
  })
  expect([code, fake.charged()]).toEqual([0, COST])
  expect(stderr).toContain('plan.yaml, each day: 0 to ')
  expect(stderr).toContain('Charged: 6,275 credits ($0.006275).')
  expect(stdout).toMatch(/^4 lines, [\d,]+ of 100,000 credits a day, 0 spent today\. Ctrl-C ends\.\n/)
  expect(stdout).toMatch(
    /\nlocks\.get \(3 of tokens\.txt\): 3 of 3 done, 0 failed, 6,000 credits, locks\.get-\S+\.jsonl\.\n/,
  )
  expect(stdout).toMatch(/Stopped\. Today: 6,275 of 100,000 credits\.\n$/)
  const lines = (name: string) => readFileSync(join(folder, name), 'utf8').trim().split('\n')
  const prices = lines('prices.jsonl').map((line) => JSON.parse(line) as { address: string; usd: string })
  expect(prices.map(({ address }) => address).sort()).toEqual([BOLT, CORE, DYNO].sort())
  expect(Number(prices[0]?.usd)).toBeGreaterThan(0)
  expect(lines('etn.jsonl').map((line) => JSON.parse(line))).toMatchObject([{ operation: 'etn.price', data: {} }])
  expect(lines(join('candles', `${BOLT}-1h-USD.csv`))).toHaveLength(21)
  expect(readdirSync(folder).filter((name) => name.endsWith('.lock') || name.endsWith('.new'))).toEqual([])
})

test('a plan that is started again goes on where it was, and with --json prints an event a line', async () => {
  const scene = await createPlan()
  await runUntil(scene, /3 of 3 done[\s\S]*20 added|20 added[\s\S]*3 of 3 done/, [], {
    signal: 'SIGTERM',
    file: 'prices.jsonl',
  })
  const { code, stdout } = await runUntil(scene, /"event":"price"[\s\S]*"event":"price"[\s\S]*"event":"price"/, [
    '--json',
  ])
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { event: string })
  expect([code, scene.fake.charged()]).toEqual([0, COST])
  expect(events[0]).toMatchObject({ event: 'started', creditsPerDay: 100_000, spent: COST, time: expect.any(String) })
  // Its prices are those of the first run.
  expect(events.slice(1, -1).map(({ event }) => event)).toEqual(['price', 'price', 'price'])
  expect(events.at(-1)).toMatchObject({ event: 'stopped', spent: COST })
})

test('an alert of a line is printed', async () => {
  const scene = await createPlan(`creditsPerDay: 100000
lines:
  - { operation: token.price, addresses: [${BOLT}], every: 1h, alert: { above: 0.000001 } }
`)
  const { stdout } = await runUntil(scene, /above/, [], { cost: 50 })
  expect(stdout).toMatch(new RegExp(`^token\\.price \\(\\S+\\): ${BOLT} above, 0\\.\\d+ USD\\.$`, 'm'))
})

test('a plan has one run at a time', async () => {
  const scene = await createPlan()
  const { host, code } = start(scene, ['run', 'plan.yaml', '--yes'])
  await expect.poll(() => host.printed().stdout).toContain('lines')
  const second = await scene.run(['run', 'plan.yaml', '--yes'])
  expect([second.code, second.stderr]).toEqual([1, expect.stringContaining(`this process (${process.pid}) has it`)])
  host.emit('SIGTERM')
  expect(await code).toBe(0)
})

/** A plan with these lines. */
const planOf = (creditsPerDay: number, ...lines: readonly string[]) =>
  `creditsPerDay: ${creditsPerDay}\nlines:${lines.map((line) => `\n  - { ${line} }`).join('')}\n`
const etnTo = (file: string) => planOf(100_000, `operation: etn.price, every: 1h, file: ${file}`)
const pricesTo = (file: string) =>
  planOf(100_000, `operation: prices.batch, addresses: tokens.txt, every: 1h, file: ${file}`)
const NIGHTLY = 'operation: locks.get, addresses: tokens.txt, once: night'
/** Two lines, each an operation and its file. */
const both = (...lines: readonly string[]) =>
  planOf(
    1_000_000,
    ...lines.map((line) => `addresses: tokens.txt, every: 6h, operation: ${line.replace(' ', ', file: ')}`),
  )
const shared = (what: string) => `lines[0] and lines[1] have one ${what}: give each a file.`
const OVER = /Over the limit of 10,000 credits a day: .* Nothing was sent\.\n$/
const JOURNAL = 'locks-2026-11-24T0200.jsonl'

test.each([
  ['costs more than its limit', 1, PLAN.replace('100000', '10000'), OVER],
  ['has no limit', 2, PLAN.replace(/^.*\n/, ''), 'creditsPerDay is missing. Set it there, or add --daily-limit.'],
  ['has sweeps of one journal', 2, planOf(1_000_000, NIGHTLY, NIGHTLY), shared('journal, locks.get')],
  ['has one journal', 2, both('locks.get locks', 'nft.collection ./locks.jsonl'), shared('journal, ./locks.jsonl')],
  ['answers into a journal', 2, both('locks.get locks.jsonl', `prices.batch ${JOURNAL}`), shared(`file, ${JOURNAL}`)],
  ['has one folder', 2, both('token.candles candles', 'token.candles ./candles'), shared('file, ./candles')],
  ['writes into a link', 2, both('prices.batch one.jsonl', 'token.price link.jsonl'), shared('file, link.jsonl')],
  ['only counts', 2, planOf(1_000_000, 'operation: locks.get, count: 3, once: night'), 'locks.get needs addresses'],
  ['writes into no folder', 2, etnTo('no/etn.jsonl'), 'file no/etn.jsonl: there is no such file or folder.'],
  ['writes into itself', 2, etnTo('./plan.yaml'), 'file ./plan.yaml is the plan.'],
  ['writes into its state', 2, etnTo('plan.yaml.state.json'), 'file plan.yaml.state.json is the state of the run.'],
  ['writes into its addresses', 2, pricesTo('tokens.txt'), 'file tokens.txt is a list of addresses.'],
])('a plan that %s is refused before anything is sent or written', async (_, exitCode, text, message) => {
  const scene = await createPlan(text)
  symlinkSync('one.jsonl', join(scene.folder, 'link.jsonl'))
  const { code, stderr } = await scene.run(['run', 'plan.yaml', '--yes'])
  expect(code).toBe(exitCode)
  expect(stderr).toMatch(message)
  // Each names its line; two of them both of theirs.
  if (exitCode === 2 && text.startsWith('creditsPerDay')) expect(stderr).toContain('lines[0]')
  expect(scene.fake.journal()).toEqual([])
  expect(readFileSync(join(scene.folder, 'tokens.txt'), 'utf8')).toContain(BOLT)
  const files = readdirSync(scene.folder).filter((name) => name !== 'candles')
  expect(files.sort()).toEqual(['link.jsonl', 'plan.yaml', 'tokens.txt'])
})

test('a state that is damaged is refused, by `plan` too, and nothing is spent', async () => {
  const scene = await createPlan()
  scene.write('plan.yaml.state.json', '{"entries":')
  const { code, stderr } = await scene.run(['run', 'plan.yaml', '--yes'])
  expect([code, stderr]).toEqual([1, expect.stringContaining('plan.yaml.state.json: it is damaged')])
  expect(await scene.run(['plan', 'plan.yaml'])).toMatchObject({ code, stderr, stdout: '' })
  expect(scene.fake.journal()).toEqual([])
})

test('two names of a plan have one limit', async () => {
  const scene = await createPlan(
    'creditsPerDay: 4000\nlines:\n  - { operation: locks.get, addresses: tokens.txt, every: 1d }\n',
  )
  scene.write('tokens.txt', BOLT)
  symlinkSync('plan.yaml', join(scene.folder, 'alias.yaml'))
  await runUntil(scene, /1 of 1 done/, [], { cost: 2_000 })
  const host = createHost(scene)
  const code = runProgram(['run', 'alias.yaml', '--yes', '--json'], host)
  await expect.poll(() => host.printed().stdout).toContain('"spent":2000')
  host.emit('SIGINT')
  expect([await code, scene.fake.charged()]).toEqual([0, 2_000])
  expect(readdirSync(scene.folder)).not.toContain('alias.yaml.state.json')
})

test('a plan with a hard link, which would be a second limit, is refused under both names', async () => {
  const scene = await createPlan()
  linkSync(join(scene.folder, 'plan.yaml'), join(scene.folder, 'hard.yaml'))
  for (const name of ['plan.yaml', 'hard.yaml']) {
    const { code, stderr } = await scene.run(['run', name, '--yes'])
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${name}: it has several names (hard links)`)])
  }
  expect(scene.fake.journal()).toEqual([])
})

test.each([
  ['hangs', { never: true }],
  ['fails', { status: 500, delayMs: 400 }],
] as const)('a plan that is ended while the service %s sends nothing more, and ends soon', async (_, fault) => {
  const scene = await createPlan(`creditsPerDay: 100000\nlines:
  - { operation: etn.price, every: 1h }
  - { operation: token.candles, addresses: [${BOLT}], every: 1h }
`)
  scene.fake.fault({ ...fault, times: Number.POSITIVE_INFINITY })
  const host = Object.assign(createHost(scene), { graceMs: 800 })
  const code = runProgram(['run', 'plan.yaml', '--yes'], host)
  await expect.poll(() => scene.fake.journal().length).toBe(2)
  host.emit('SIGTERM')
  const begun = performance.now()
  expect(await code).toBe(0)
  expect(performance.now() - begun).toBeLessThan(3_000)
  expect(scene.fake.journal()).toHaveLength(2)
})

test('`plan` says which lines `run` cannot carry out, and counts prices of addresses by request', async () => {
  const scene = await createPlan(`creditsPerDay: 1000000\nlines:
  - { operation: locks.get, count: 3, once: night }
  - { operation: prices.batch, addresses: tokens.txt, every: 1h }
`)
  const { stdout } = await scene.run(['plan', 'plan.yaml'])
  expect(stdout).toContain('`run` needs addresses, not only a count, for lines[0].')
  // Three addresses are one request.
  expect(stdout).toMatch(/prices\.batch {2}3 of tokens\.txt {6}1 {5}1h/)
  expect((await scene.json(['plan', 'plan.yaml'])).data).toMatchObject({ notRunnable: [0] })
})
