/** The response body for a path and its cost in credits. */
export function createBody(path) {
  const [address, ...others] = path.match(/0x[0-9a-fA-F]{40}/g) ?? []
  if (address === undefined) throw new Error(`No workload requests ${path}.`)
  if (path.includes('/candles')) return envelope(candles, 100 + candles.length)
  if (!path.includes('addresses=')) return envelope({ address, ...PRICE }, 50)
  const prices = [address, ...others].map((one) => [one.toLowerCase(), PRICE])
  return envelope(Object.fromEntries(prices), 100 + 10 * prices.length)
}

const PRICE = { usd: '0.0431328059369531392178303', etn: '17.2531223747812556871321' }
const HOUR = 3_600
const START = 1_763_700_000

const candles = walk(500)

/** Candles with all digits of a computed price: parsing them is most of the work. */
function walk(count) {
  const list = []
  let last = 0.0431328059369531
  for (let i = 0; i < count; i++) {
    const open = last
    const close = open * (1 + 0.02 * Math.sin(i * i))
    list.push({
      time: START + i * HOUR,
      open,
      high: Math.max(open, close) * 1.0031,
      low: Math.min(open, close) * 0.9972,
      close,
      volume: 1834.2291 * (1 + Math.cos(i * 7)),
      count: 1 + ((i * 37) % 113),
    })
    last = close
  }
  return list
}

function envelope(data, cost) {
  const body = Buffer.from(JSON.stringify({ data, cursor: null }))
  return { body, cost }
}
