import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fakeTokens } from 'etn-market/fake'
import { expect, onTestFinished, test, vi } from 'vitest'
import { parseCsv } from '../../src/candles/csv.ts'
import { createScene, type Scene } from './program.ts'

const { BOLT } = fakeTokens
const LOCKS = 2_000

/** Runs the built program where no file may grow beyond some kilobytes: the system then takes a part and fails, as a full disk does. */
function runOnFullDisk({ runProcess, folder }: Scene, maxKilobytes: number, args: readonly string[]) {
  const script = `ulimit -f ${maxKilobytes}; exec "$0" "$@"`
  return runProcess(args, { shell: ['bash', '-c', script], env: { TMPDIR: folder } })
}

/** The file that an error names. */
function namedIn(stderr: string): string {
  const [, path = ''] = /(?:What was paid for|What it did not take) is in (\S+)/.exec(stderr) ?? []
  return readFileSync(path, 'utf8')
}

test('answers that a journal does not take are in a file that the error names, and can be appended', async () => {
  const scene = await createScene()
  const { run, fake, folder } = scene
  const rows = Array.from({ length: 4 }, (_, lockId) => ({ lockId }))
  fake.stub('locks.get', ({ data }) => rows.flatMap((row) => ({ ...data[0], ...row }) as (typeof data)[number]))
  const sweep = ['sweep', 'locks', ...Object.values(fakeTokens), '--resume', 'locks.jsonl', '--yes']
  const { code, stderr } = await runOnFullDisk(scene, 8, sweep)
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /\nerror: journal locks\.jsonl: it cannot be written: the file would be too large\. .* is in \S+\n$/,
    ),
  ])
  const paid = fake.charged()
  expect(paid).toBeLessThan(10 * LOCKS)
  appendFileSync(join(folder, 'locks.jsonl'), namedIn(stderr))
  expect((await run(sweep)).stdout).toContain(`10 of 10 done (${paid / LOCKS} from the journal)`)
  expect(fake.charged()).toBe(10 * LOCKS)
})

test('candles that a series does not take are in a file that the error names, and the series stays as it was', async () => {
  const scene = await createScene()
  const { run, folder, fake } = scene
  const sync = ['candles', BOLT, '--sync', 'bolt.csv']
  await run([...sync, '--limit', '500'])
  const read = () => readFileSync(join(folder, 'bolt.csv'), 'utf8')
  const before = read()
  fake.advance(5 * 3_600_000)
  const { code, stderr } = await runOnFullDisk(scene, 4, sync)
  expect([code, stderr]).toEqual([1, expect.stringContaining('error: --sync bolt.csv: the file would be too large. ')])
  expect(parseCsv(namedIn(stderr)).length).toBeGreaterThanOrEqual(6)
  expect(read()).toBe(before)
  expect(readdirSync(folder).filter((name) => name.endsWith('.new'))).toEqual([])
})

test.each([
  ['--sync bolt.csv', ['candles', BOLT, '--sync', 'bolt.csv']],
  ['journal a.jsonl', ['sweep', 'locks', BOLT, '--resume', 'a.jsonl']],
  ['plan.yaml.state.json', ['run', 'plan.yaml']],
])('a disk that takes nothing is reported with the file, %s, before anything is sent', async (name, args) => {
  const scene = await createScene()
  scene.write('plan.yaml', 'creditsPerDay: 5000\nlines:\n  - { operation: etn.price, every: 1h }\n')
  const { code, stderr } = await runOnFullDisk(scene, 0, [...args, '--yes'])
  expect([code, stderr]).toEqual([expect.toBeOneOf([1, 2]), expect.stringMatching(`error: .*${name}: `)])
  expect(scene.fake.charged()).toBe(0)
})

test('candles that a database does not take are in a file that the error names', async () => {
  const scene = await createScene()
  const { code, stderr } = await runOnFullDisk(scene, 4, ['candles', BOLT, '--sync', 'bolt.sqlite', '--limit', '20'])
  expect([code, stderr]).toEqual([1, expect.stringContaining('error: --sync bolt.sqlite: ')])
  expect(parseCsv(namedIn(stderr))).toHaveLength(20)
})

test.runIf(existsSync('/dev/full')).each(['--csv', '--svg'])(
  'candles that the file of %s does not take are in a file that the error names',
  async (option) => {
    const { run, folder } = await createScene()
    vi.stubEnv('TMPDIR', folder)
    onTestFinished(() => void vi.unstubAllEnvs())
    const { code, stderr } = await run(['candles', BOLT, option, '/dev/full', '--limit', '20'])
    expect([code, stderr]).toEqual([1, expect.stringContaining(`error: ${option} /dev/full: `)])
    expect(parseCsv(namedIn(stderr))).toHaveLength(20)
  },
)

test('an output that its file does not take is in a file that the error names', async () => {
  const scene = await createScene()
  scene.write('output.json', ' '.repeat(4_000))
  const { code, stderr } = await scene.runProcess(
    ['call', 'token.candles', '--address', BOLT, '--limit', '10', '--json'],
    {
      shell: ['bash', '-c', 'ulimit -f 4; exec "$0" "$@" >> output.json'],
      env: { TMPDIR: scene.folder },
    },
  )
  expect([code, stderr]).toEqual([1, expect.stringContaining('error: standard output: the file would be too large. ')])
  expect(JSON.parse(namedIn(stderr))).toHaveLength(10)
})
