import { fakeTokens, fakeWallets } from 'etn-market/fake'
import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { fitTable } from '../../src/cli/table.ts'
import { formatProgress } from '../../src/cli/terminal-display.ts'
import { testProperty } from '../support/property.ts'
import { createScene } from './program.ts'

const { BOLT, CORE, USDC } = fakeTokens
const plain = (text: string) => text
const widest = (text: string) => Math.max(...text.split('\n').map((line) => stringWidth(line)))

const text = fc.string({
  unit: fc.constantFrom('a', 'Z', '9', ' ', '漢', '字', '한', '🚀', '👩‍👩‍👧', 'é', '０', '\u001b'),
})

testProperty(
  'a table is never wider than its width, and has each of its cells whole',
  fc.property(
    fc.array(fc.tuple(text, text, text, text), { maxLength: 5 }),
    fc.integer({ min: 20, max: 120 }),
    (rows, width) => {
      const columns = [
        { title: '漢字' },
        { title: 'right', align: 'right', dropOrder: 1 },
        { title: 'last', dropOrder: 3 },
        { title: 'address', dropOrder: 2 },
      ] as const
      const { lines, notShown } = fitTable(columns, rows, plain, width)
      for (const line of [...lines, ...notShown]) expect(stringWidth(line)).toBeLessThanOrEqual(width)
      const squeeze = (words: string) => words.replaceAll('\u001b', '').replace(/\s+/g, '')
      const shown = squeeze(lines.join(''))
      const dropped = notShown.join(' ')
      for (const [index, { title }] of columns.entries()) {
        const isDropped = dropped.includes(title)
        expect(isDropped || rows.length === 0 || shown.includes(title)).toBe(true)
        if (!isDropped) for (const row of rows) expect(shown).toContain(squeeze(row[index] ?? ''))
      }
    },
  ),
  { cases: 200 },
)

describe.each([40, 80])('in %i columns', (columns) => {
  const env = { COLUMNS: String(columns) }

  test.each([
    ['wide symbols', ['漢字トークン', '🚀🚀 to the moon', 'USDC']],
    ['equal symbols', ['MOON', 'MOON', 'USDC']],
    ['a long symbol', ['A symbol that is longer than the terminal is wide, which happens', 'B', 'C']],
  ])('tables with %s fit', async (_, symbols) => {
    const { run, fake } = await createScene()
    const addresses = [BOLT, CORE, USDC]
    const list = addresses.map((address, at) => ({ address, name: 'Name', symbol: symbols[at] ?? '', decimals: 18 }))
    fake.stub('token.list', ({ data }) => list.map((token) => ({ ...data[0], ...token }) as (typeof data)[number]))
    fake.stub('balances.get', ({ data }) => ({
      ...data,
      balances: Object.fromEntries(
        addresses.map((address) => [address, { balance: '0x7ce66c50e2840000', blockUpdated: 1 }]),
      ),
    }))
    for (const args of [
      ['prices', ...addresses],
      ['prices', ...addresses, '--no-symbols'],
      ['portfolio', fakeWallets.empty],
      ['call', 'token.list'],
      ['call', 'token.candles', '--address', BOLT, '--limit', '9'],
      ['call', 'prices.batch', '--addresses', addresses.join(',')],
    ]) {
      // `call` prints tables on a terminal only.
      const { stdout } = await run(args, args[0] === 'call' ? { columns, env: { NO_COLOR: '1' } } : { env })
      const table = stdout.split('\n').filter((line) => !/^(Total|The service)/.test(line))
      expect(widest(table.join('\n')), stdout).toBeLessThanOrEqual(columns)
    }
  })

  test('the chart of candles and the progress of a sweep fit', async () => {
    const { run } = await createScene()
    const [, ...chart] = (await run(['candles', BOLT], { env })).stdout.split('\n')
    expect(widest(chart.join('\n'))).toBeLessThanOrEqual(columns)
    const progress = { done: 1_234, total: 20_000, failed: 321, credits: 2_468_000, etaMs: 83_999_000 }
    expect(widest(formatProgress(progress, columns))).toBeLessThanOrEqual(columns)
    expect(formatProgress(progress, columns)).toMatch(/█+░+ 1234\/20000/)
  })
})

test('what does not fit is left out: the address where every token has a symbol of its own, age last', async () => {
  const { run } = await createScene()
  const titles = async (args: readonly string[], columns: number) =>
    (await run(['prices', BOLT, CORE, ...args], { env: { COLUMNS: String(columns) } })).stdout.split('\n')[0]
  expect(await titles([], 120)).toMatch(/^symbol +address +USD +ETN +age$/)
  expect(await titles([], 60)).toMatch(/^symbol +USD +ETN +age$/)
  expect(await titles([], 24)).toMatch(/^symbol +USD +age$/)
  expect(await titles(['--no-symbols'], 80)).toMatch(/^symbol +address +USD +ETN +age$/)
  expect(await titles(['--no-symbols'], 40)).toBe('symbol: -')
})
