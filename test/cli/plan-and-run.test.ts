import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fakeTokens } from 'etn-market/fake'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { run as runProgram } from '../../src/cli/program.ts'
import { testProperty } from '../support/property.ts'
import { within } from '../support/wait.ts'
import { createHost, createScene } from './program.ts'

const { BOLT, CORE } = fakeTokens
const ADDRESSES = [[BOLT], [BOLT, CORE], 'tokens.txt']
/** Values of any field: what is right for one of them is wrong for the others. */
const anything = fc.constantFrom<unknown>(
  ...[null, true, -1, 0, 0.5, 1, 12, 1e300, Number.NaN, '', '0,05', '0.05', '5m', '1h', 'night', [], {}],
)
/** Mostly right: a plan with several mistakes shows one of them. */
const often = (...right: readonly unknown[]) =>
  fc.oneof({ weight: 12, arbitrary: fc.constantFrom<unknown>(...right) }, { weight: 1, arbitrary: anything })
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 1 })
const file = often(
  'out.jsonl',
  './out.jsonl',
  'other',
  'tokens.txt',
  'plan.json',
  'plan.json.state.json',
  'no/out',
  '.',
)

const priceLine = fc.record({
  operation: fc.constantFrom('token.price', 'prices.batch'),
  addresses: often(...ADDRESSES),
  every: often('1h', '1d'),
  alert: maybe(
    fc.record({ above: often('0.05', 1), below: often('0.04', 0), movePercent: often(5) }, { requiredKeys: [] }),
  ),
  activeHours: maybe(often(24, 23.5, 0.001)),
  file: maybe(file),
})
const otherLine = fc.record({
  operation: often('etn.price', 'locks.get', 'token.candles'),
  addresses: maybe(often(...ADDRESSES)),
  params: maybe(often({}, { bucket: '1h' })),
  once: maybe(often('night', '03:30')),
  every: maybe(often('1d', '12h')),
  count: maybe(often(1, 2)),
  file: maybe(file),
})
const plans = fc.record({
  creditsPerDay: often(1_000_000, 50_000),
  lines: fc.array(fc.oneof(priceLine, otherLine), { minLength: 1, maxLength: 3 }),
})

const seen = { right: 0, wrong: 0 }

testProperty(
  'what `run` refuses `plan` refuses, with the same words, and a plan that passes is carried out',
  async () => {
    const scene = await createScene()
    let number = 0
    return fc.asyncProperty(plans, async (plan) => {
      const folder = join(scene.folder, String(number++))
      mkdirSync(folder)
      writeFileSync(join(folder, 'tokens.txt'), `${BOLT}\n${CORE}\n`)
      writeFileSync(
        join(folder, 'plan.json'),
        JSON.stringify(plan, (_, value) => (Number.isNaN(value) ? 'NaN' : value)),
      )
      const start = (...args: readonly string[]) => {
        const host = createHost({ folder, env: scene.env })
        return { host, code: within(args.join(' '), runProgram(args, host), { state: host.printed }) }
      }
      const planned = start('plan', 'plan.json', '--json')
      const planCode = await planned.code
      const data = JSON.parse(planned.host.printed().stdout)
      const running = start('run', 'plan.json', '--yes', '--json')
      const printed = () => running.host.printed().stdout
      let early: number | undefined
      void running.code.then((code) => {
        early = code
      })
      await expect.poll(() => early !== undefined || printed().includes('"event":"started"')).toBe(true)
      if (planCode === 0 && data.notRunnable === undefined) {
        expect(early, printed()).toBe(undefined)
        // Alerts are read, and calls made, as soon as it has started.
        await new Promise((resolve) => setTimeout(resolve, 30))
        running.host.emit('SIGTERM')
        expect(await running.code, printed()).toBe(0)
        expect(printed()).not.toMatch(/"code":"invalid/)
        seen.right++
      } else {
        expect(early).toBe(planCode === 0 ? 2 : planCode)
        if (planCode === 2) expect(JSON.parse(printed())).toEqual(data)
        seen.wrong++
      }
    })
  },
  { cases: 60, afterAll: () => expect(Math.min(seen.right, seen.wrong)).toBeGreaterThan(5) },
)

const header = 'time,open,high,low,close,volume,count\n'
test.each([
  [
    'the series of another bucket',
    'kept.csv',
    { 'kept.csv': `${header}2026-01-01T00:00:00Z,1,1,1,1,0,0\n` },
    'it holds another series',
  ],
  ['a text that is no series', 'kept.csv', { 'kept.csv': 'nonsense\n' }, 'it is no CSV file with candles'],
  ['a folder that cannot be made', 'kept.csv/deep/down.csv', { 'kept.csv': '' }, 'a part of the path is no folder'],
])(
  '`plan` refuses a candles file that `run` refuses, %s, and leaves nothing behind',
  async (_, file, files, problem) => {
    const scene = await createScene()
    const about = JSON.stringify({ token: BOLT, bucket: '4h', currency: 'USD' })
    for (const [name, text] of Object.entries({ ...files, 'kept.csv.json': about })) scene.write(name, text)
    const line = { operation: 'token.candles', addresses: [BOLT], params: { bucket: '1h' }, every: '1h', file }
    const plan = scene.write('plan.json', JSON.stringify({ creditsPerDay: 50_000, lines: [line] }))
    const before = readdirSync(scene.folder)
    const planned = await scene.run(['plan', plan])
    expect(planned).toMatchObject({ code: 2, stdout: '' })
    expect(planned.stderr).toContain(`plan.json: lines[0]: file ${file}`)
    expect(planned.stderr).toContain(problem)
    expect(readdirSync(scene.folder)).toEqual(before)
    expect(await scene.run(['run', plan, '--yes'])).toMatchObject({ code: 2, stdout: '', stderr: planned.stderr })
  },
)

test('`plan` makes neither the folders nor the files of candles', async () => {
  const scene = await createScene()
  const line = { operation: 'token.candles', addresses: [BOLT], params: { bucket: '1h' }, every: '1h' }
  const lines = ['new/deep', 'here.csv'].map((file) => ({ ...line, file }))
  const plan = scene.write('plan.json', JSON.stringify({ creditsPerDay: 50_000, lines }))
  const before = readdirSync(scene.folder)
  expect(await scene.run(['plan', plan])).toMatchObject({ code: 0, stderr: '' })
  expect(readdirSync(scene.folder)).toEqual(before)
})
