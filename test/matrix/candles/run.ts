import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Candle } from 'etn-market'
import { fillGaps } from 'etn-market/candles'
import { chromium } from 'playwright'
import { CHROMIUM_FLAGS } from '../../support/chromium.ts'
import { requireChromium } from '../runtimes/browsers.ts'
import { check } from '../scenario/check.ts'
import { exec, execOrThrow } from '../support/exec.ts'
import { MATRIX, MODULES, type Project, ROOT } from '../support/project.ts'
import { type Check, NotInstalledError, versionOf } from '../support/result.ts'
import { startService } from '../support/service.ts'
import type { Seen } from './page.ts'
import { sqlite } from './sqlite.ts'

const KEY = 'esk_test_candles'
const BOLT = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'
/** Not the one of another installation of Python, which does not see packages of Debian. */
const PYTHON = '/usr/bin/python3'

/** Buys candles by the packed program. */
async function buy(project: Project, ...args: string[]): Promise<string> {
  const service = await startService(project, { keys: { [KEY]: 1_000_000 } })
  try {
    const program = join(project.folder, 'node_modules/.bin/etn-market')
    const env = { ETN_MARKET_API_KEY: KEY, ETN_MARKET_BASE_URL: service.baseUrl }
    return await execOrThrow(program, ['candles', BOLT, ...args], { cwd: project.folder, env })
  } finally {
    await service.close()
  }
}

async function buyMinutes(project: Project): Promise<Candle[]> {
  return JSON.parse(await buy(project, '--bucket', '1m', '--limit', '200', '--json'))
}

/** Bundles a script with the recipes that it uses, the package as it was installed, and the libraries of the matrix. */
async function bundle(project: Project, name: string, platform: 'browser' | 'node'): Promise<string> {
  const outfile = join(project.folder, `${name}.mjs`)
  await build({
    entryPoints: [join(MATRIX, 'candles', `${name}.ts`)],
    nodePaths: [join(project.folder, 'node_modules'), MODULES],
    tsconfigRaw: {},
    bundle: true,
    format: 'esm',
    platform,
    external: ['@duckdb/node-api'],
    outfile,
    logLevel: 'silent',
  })
  return outfile
}

const isAbout = (actual: number, expected: number) => Math.abs(actual / expected - 1) < 1e-9

const page: Check = {
  name: 'examples/candles in Chromium: lightweight-charts, Chart.js',
  async run(installed) {
    const executablePath = requireChromium()
    const project = installed.project('candles-page')
    const script = await bundle(project, 'page', 'browser')
    const candles = await buyMinutes(project)
    // About 2e-8 USD: what a library shows as 0.00 without more said.
    const small = candles.map((candle) => {
      const [open, high, low, close] = [candle.open, candle.high, candle.low, candle.close].map((price) => price / 1e6)
      return { ...candle, open, high, low, close } as Candle
    })
    const bars = fillGaps(candles, '1m').length
    const browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS })
    try {
      const errors: string[] = []
      for (const [prices, isSmall] of [
        [candles, false],
        [small, true],
      ] as const) {
        const opened = await browser.newPage({ viewport: { width: 800, height: 900 } })
        opened.on('pageerror', (error) => errors.push(error.message))
        await opened.setContent(
          '<div id="lightweight" style="width:800px;height:400px"></div><div style="width:800px;height:400px"><canvas id="chartjs"></canvas></div>',
        )
        await opened.addScriptTag({ path: script, type: 'module' })
        await opened.waitForFunction(() => 'draw' in window)
        const { lightweight, chartJs } = await opened.evaluate(
          (given) => (window as unknown as { draw(candles: readonly Candle[]): Promise<Seen> }).draw(given),
          prices,
        )
        check('bars', lightweight.bars, bars)
        check('the label of a price', /^0\.0₇\d+$/.test(lightweight.label), isSmall)
        check('lightweight-charts uses its axis', lightweight.axisPixels > 150, true)
        check('lightweight-charts draws', lightweight.colored > 1_000, true)
        check('Chart.js draws', chartJs.colored > 1_000, true)
        check('Chart.js has labels that differ', new Set(chartJs.labels).size > 3, true)
        const [from, to] = chartJs.range
        check('Chart.js uses its axis', from > 0 && to < 2 * Math.max(...prices.map(({ high }) => high)), true)
        await opened.close()
      }
      check('errors of the pages', errors, [])
      const versions = ['lightweight-charts', 'chart.js', 'chartjs-chart-financial'].map(versionOf).join(', ')
      return {
        version: versions,
        detail: `${bars} candles, ${bars - candles.length} of them added, at 2e-2 and 2e-8 USD`,
      }
    } finally {
      await browser.close()
    }
  },
}

const others: Check = {
  name: 'examples/candles in ECharts, technicalindicators, DuckDB, pandas',
  async run(installed) {
    const project = installed.project('candles')
    project.link('@duckdb/node-api')
    const script = await bundle(project, 'node', 'node')
    const candles = await buyMinutes(project)
    const json = project.write('candles.json', JSON.stringify(candles))
    const csv = join(project.folder, 'hours.csv')
    await buy(project, '--closed', '--csv', csv, '--limit', '100')
    const { svg, rows, sma, rsi } = JSON.parse(await execOrThrow(process.execPath, [script, json, csv]))
    const filled = fillGaps(candles, '1m')
    check('gaps in the answer', filled.length > candles.length, true)
    check('ECharts draws every candle', (svg.match(/M\d/g)?.length ?? 0) >= filled.length, true)
    check('indicators', sma.length > 100 && rsi.length > 100, true)
    // By hand: the mean of the newest 14 periods that are over. The last candle is over, too, where a minute ended meanwhile.
    const meanOf = (known: readonly Candle[]) =>
      fillGaps(known, '1m')
        .slice(-14)
        .reduce((sum, { close }) => sum + close, 0) / 14
    const isMean = [candles, candles.slice(0, -1)].some((known) => isAbout(sma.at(-1), meanOf(known)))
    check('an average of 14 minutes', isMean, true)
    // Of hours without a trade, pandas has rows of its own. The sums of volumes are rounded differently.
    const times = new Set((rows as Row[]).map(({ time }) => time))
    const pandas = (await readByPandas(csv)).filter(({ time }) => times.has(time))
    const prices = (list: readonly Row[]) => list.map(({ volume: _, ...row }) => row)
    check('pandas and DuckDB have the same prices, to the last digit', prices(pandas), prices(rows))
    const haveVolumes = pandas.every(({ volume = 0 }, at) => isAbout(volume, rows[at].volume))
    check('pandas and DuckDB have the same volumes', haveVolumes, true)
    return {
      version: ['echarts', 'technicalindicators', '@duckdb/node-api'].map(versionOf).join(', '),
      detail: `${rows.length} rows`,
    }
  },
}

type Row = Readonly<Record<string, number>>

async function readByPandas(csv: string): Promise<Row[]> {
  const found = existsSync(PYTHON) && (await exec(PYTHON, ['-c', 'import pandas'])).code === 0
  if (!found) throw new NotInstalledError('pandas is not installed: apt-get install python3-pandas')
  const text = await execOrThrow(PYTHON, [join(ROOT, 'examples/candles/pandas_candles.py'), csv])
  const [head = '', ...lines] = text.trim().split('\n')
  const names = head.split(',')
  return lines.map((line) => {
    const cells = line.split(',')
    return Object.fromEntries(
      names.map((name, at) => [name, name === 'time' ? Date.parse(cells[at] ?? '') : Number(cells[at])]),
    )
  })
}

export const candleChecks: readonly Check[] = [page, others, ...sqlite]
