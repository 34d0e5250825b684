/** A loopback service that responds at once from prepared bodies, so that a run measures the client. */
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { checksumAddress } from 'etn-market'

/** More than calls in flight, so that no two calls are equal and none is deduplicated. */
const ADDRESSES = 256
/** Enough for every repeated request. New addresses make URLs without end. */
const MAX_PREPARED = 2_000
const PRICE = { usd: '0.0431328059369531392178303', etn: '17.2531223747812556871321' }
const HOUR = 3_600
const START = 1_763_700_000

const hash = (text) => createHash('sha256').update(text).digest('hex')
const addresses = Array.from({ length: ADDRESSES }, (_, i) => checksumAddress(`0x${hash(`token ${i}`).slice(0, 40)}`))

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
const candles = walk(500)

/** The response body for a path and its cost in credits. */
function createBody(path) {
  const [address, ...others] = path.match(/0x[0-9a-fA-F]{40}/g) ?? []
  if (address === undefined) throw new Error(`No workload requests ${path}.`)
  if (path.includes('/candles')) return envelope(candles, 100 + candles.length)
  if (!path.includes('addresses=')) return envelope({ address, ...PRICE }, 50)
  const prices = [address, ...others].map((one) => [one.toLowerCase(), PRICE])
  return envelope(Object.fromEntries(prices), 100 + 10 * prices.length)
}

const envelope = (data, cost) => ({ body: Buffer.from(JSON.stringify({ data, cursor: null })), cost })

const prepared = new Map()
function prepare(url) {
  const known = prepared.get(url)
  if (known !== undefined) return known
  if (prepared.size >= MAX_PREPARED) prepared.clear()
  const made = createBody(url)
  prepared.set(url, made)
  return made
}

let remaining = 1_000_000_000_000
const server = createServer(({ url }, response) => {
  const { body, cost } = prepare(url)
  remaining -= cost
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': body.length,
    'x-credits-cost': cost,
    'x-credits-remaining': remaining,
  })
  response.end(body)
})
server.listen(0, '127.0.0.1', () =>
  process.send({ baseUrl: `http://127.0.0.1:${server.address().port}/v1`, addresses }),
)
process.on('disconnect', () => process.exit())
