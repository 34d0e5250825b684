/** Writes the picture of `src/candles/GUIDE.md`: the chart of `examples/candles/lightweight-charts.ts`. `npm run pictures` runs it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { chromium } from 'playwright'
import { CHROMIUM_FLAGS } from '../../support/chromium.ts'
import { requireChromium } from '../runtimes/browsers.ts'
import { MATRIX, MODULES, ROOT } from '../support/project.ts'

const SIZE = { width: 900, height: 360 }
const SCALE = 1.5
const QUALITY = 0.8

const sourceOf = (entry: string) => join(ROOT, 'src', entry, 'index.ts')
const { outputFiles } = await build({
  stdin: { contents: PAGE(), resolveDir: MATRIX, loader: 'ts' },
  nodePaths: [MODULES],
  alias: { 'etn-market/candles': sourceOf('candles'), 'etn-market/format': sourceOf('format') },
  tsconfigRaw: {},
  bundle: true,
  format: 'esm',
  write: false,
})
const browser = await chromium.launch({ executablePath: requireChromium(), args: CHROMIUM_FLAGS })
const page = await browser.newPage({ viewport: SIZE, deviceScaleFactor: SCALE })
await page.setContent('<body style="margin:0"><div id="chart" style="width:100vw;height:100vh"></div>')
await page.addScriptTag({ content: outputFiles[0]?.text ?? '', type: 'module' })
await page.waitForFunction(() => 'picture' in window)
// Chromium itself writes WebP.
const url = await page.evaluate(
  (quality) => (window as unknown as { picture: HTMLCanvasElement }).picture.toDataURL('image/webp', quality),
  QUALITY,
)
writeFileSync(join(ROOT, '.github/images/candles.webp'), Buffer.from(url.split(',')[1] ?? '', 'base64'))
await browser.close()

/** Hours of a token of about 2e-8 USD, the same each time, a third of them without a trade. */
function PAGE(): string {
  return `
import { drawCandles } from '../../examples/candles/lightweight-charts.ts'

const candles = []
let close = 2.1e-8
for (let hour = 0; hour < 120; hour++) {
  const random = (step) => Math.abs((Math.sin(hour * 12.9898 + step * 78.233) * 43758.5453) % 1)
  if (random(0) < 0.35 || (hour > 50 && hour < 62)) continue
  const open = close
  close = open * (1 + (random(1) - 0.49) / 20)
  const [high, low] = [Math.max(open, close) * (1 + random(2) / 60), Math.min(open, close) * (1 - random(3) / 60)]
  candles.push({ time: 1_795_300_000 - (1_795_300_000 % 3600) + hour * 3_600, open, high, low, close, volume: 1, count: 1 })
}
const { chart } = drawCandles(document.querySelector('#chart'), candles, '1h')
requestAnimationFrame(() => requestAnimationFrame(() => Object.assign(window, { picture: chart.takeScreenshot() })))
`
}
