import { expect, test } from 'vitest'
import { runPacked } from './pack.ts'

/**
 * Makes calls whose answers have 45 kB, over a transport that does nothing, and prints how many full collections took place. What ends with its
 * call is freed by small ones. An object that V8 keeps longer keeps the answer that it leads to, and each answer is then copied twice: with
 * one such object there were 9 full collections, and without it there is 1.
 */
const SCRIPT = `
import { PerformanceObserver, constants } from 'node:perf_hooks'
import { createClient } from 'etn-market'

const candle = { time: 1_700_000_000, open: 1.5, high: 2.5, low: 0.5, close: 1.25, volume: 100.5, count: 3 }
const text = JSON.stringify({ data: Array.from({ length: 500 }, (_, i) => ({ ...candle, time: candle.time + i })), cursor: null })
const headers = new Headers({ 'content-type': 'application/json', 'x-credits-cost': '550' })
const transport = {
  async send(attempt) {
    attempt.onSent()
    await new Promise((resolve) => setImmediate(resolve))
    return { response: { status: 200, headers, text } }
  },
}
const client = createClient({ apiKey: 'esk_test_garbage', transport })
const call = () => client.token.candles({ address: '0x' + '1'.repeat(40), limit: 500 })
for (let i = 0; i < 300; i++) await call()
let full = 0
const observer = new PerformanceObserver((list) => {
  for (const { detail } of list.getEntries()) if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) full++
})
observer.observe({ entryTypes: ['gc'] })
for (let i = 0; i < 3_000; i++) await call()
await new Promise((resolve) => setTimeout(resolve, 100))
console.log(full)
`

test('answers are freed by small collections', () => {
  expect(Number(runPacked('garbage.mjs', SCRIPT))).toBeLessThanOrEqual(4)
})
