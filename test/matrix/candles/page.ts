/** What the page of `candles/run.ts` draws, and what it sees of that. */
import type { Candle } from 'etn-market'
import { drawCandles as drawWithChartJs } from '../../../examples/candles/chartjs.ts'
import { drawCandles } from '../../../examples/candles/lightweight-charts.ts'

export interface Seen {
  readonly lightweight: {
    readonly bars: number
    readonly label: string
    readonly axisPixels: number
    readonly colored: number
  }
  readonly chartJs: {
    readonly labels: readonly string[]
    readonly range: readonly [number, number]
    readonly colored: number
  }
}

/** Bodies and wicks have colours; text, grid and background are grey. */
function countColored(canvas: HTMLCanvasElement): number {
  const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] }
  let count = 0
  for (let at = 0; at < data.length; at += 4) {
    const [red = 0, green = 0, blue = 0, alpha = 0] = [data[at], data[at + 1], data[at + 2], data[at + 3]]
    if (alpha > 128 && Math.max(red, green, blue) - Math.min(red, green, blue) > 60) count++
  }
  return count
}

const nextFrame = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))

async function draw(candles: readonly Candle[]): Promise<Seen> {
  const { chart, series } = drawCandles(document.querySelector('#lightweight') as HTMLElement, candles, '1m')
  const canvas = document.querySelector('#chartjs') as HTMLCanvasElement
  const drawn = drawWithChartJs(canvas, candles, '1m')
  await nextFrame()
  const [low, high] = [Math.min(...candles.map((one) => one.low)), Math.max(...candles.map((one) => one.high))]
  const y = (price: number) => series.priceToCoordinate(price) ?? Number.NaN
  const { ticks, min, max } = drawn.scales.y ?? { ticks: [], min: 0, max: 0 }
  return {
    lightweight: {
      bars: series.data().length,
      label: series.priceFormatter().format(candles.at(-1)?.close ?? 0),
      axisPixels: y(low) - y(high),
      colored: countColored(chart.takeScreenshot()),
    },
    chartJs: { labels: ticks.map(({ label }) => String(label)), range: [min, max], colored: countColored(canvas) },
  }
}

Object.assign(window, { draw })
