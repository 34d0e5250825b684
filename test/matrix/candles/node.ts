/** Uses the recipes of Node with candles that the program bought, and prints what comes of it: `node node.mjs <candles.json> <hours.csv>`. */
import { readFileSync } from 'node:fs'
import * as echarts from 'echarts'
import type { Candle } from 'etn-market'
import { readFourHours } from '../../../examples/candles/duckdb.ts'
import { candleOption } from '../../../examples/candles/echarts.ts'
import { indicatorsOf } from '../../../examples/candles/indicators.ts'

const [, , json = '', csv = ''] = process.argv
const candles = JSON.parse(readFileSync(json, 'utf8')) as Candle[]
const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width: 800, height: 400 })
chart.setOption({ ...candleOption(candles, '1m'), animation: false })
const svg = chart.renderToSVGString()
chart.dispose()
const rows = await readFourHours(csv)
const toNumber = (_: string, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)
process.stdout.write(JSON.stringify({ svg, rows, ...indicatorsOf(candles, '1m', Date.now()) }, toNumber))
