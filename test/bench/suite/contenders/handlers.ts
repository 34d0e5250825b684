import { createClient } from 'etn-market'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { BOLT, CORE, KEY, type Service } from '../service.ts'

/** What a team writes without a fake: one fixed response for each route. */
const API = 'https://electroswap.io/public-api/v1'
const price = { usd: '0.0375', etn: '14.1' }
const bolt = { address: BOLT, name: 'Bolt', symbol: 'BOLT', decimals: 18, totalSupply: 100_000_000 }
const core = { address: CORE, name: 'Core', symbol: 'CORE', decimals: 18, totalSupply: 21_000_000 }
const candle = { time: 1_790_000_000, open: 0.037, high: 0.038, low: 0.036, close: 0.0375, volume: 1_200, count: 4 }
const swap = {
  hash: `0x${'ab'.repeat(32)}`,
  timestamp: 1_790_000_000,
  pool: BOLT,
  token0: BOLT,
  token1: CORE,
  usd: '12.5',
}
const side = { chainId: 52014, blockAdded: 122_974, deployer: CORE }
const pool = { address: BOLT, chainId: 52014, version: 2, token0: { ...bolt, ...side }, token1: { ...core, ...side } }
const collection = { address: CORE, name: 'Electric Bees', symbol: 'BEES', totalSupply: 111 }
const held = { [CORE]: { balance: '0xde0b6b3a7640000', blockUpdated: 16_466_497 } }
const balances = { address: BOLT, updated: 1_790_000_000_000, balances: held }

function success(data: unknown, credits: number) {
  const headers = { 'X-Credits-Cost': String(credits), 'X-Credits-Remaining': String(1_000_000 - credits) }
  return HttpResponse.json({ data, cursor: null }, { headers })
}

function list(path: string, items: unknown[], base: number, perItem: number) {
  return http.get(API + path, ({ request }) => {
    const limit = Number(new URL(request.url).searchParams.get('limit') ?? items.length)
    const page = Array.from({ length: limit }, (_, i) => items[i % items.length])
    return success(page, base + perItem * page.length)
  })
}

function fail(status: number, code: string) {
  server.use(
    http.get(`${API}/*`, () => HttpResponse.json({ error: { code, message: code } }, { status }), { once: true }),
  )
}

const server = setupServer(
  http.get(`${API}/prices/etn`, () => success({ usd: '0.00267' }, 25)),
  http.get(`${API}/prices/52014`, () => success({ [BOLT.toLowerCase()]: price, [CORE.toLowerCase()]: price }, 120)),
  http.get(`${API}/prices/52014/:address`, ({ params }) => success({ address: params.address, ...price }, 50)),
  list(`/tokens/52014`, [bolt, core], 100, 5),
  http.get(`${API}/tokens/52014/:address`, () => success({ ...bolt, ...price }, 100)),
  list(`/tokens/52014/:address/candles`, [candle], 100, 1),
  list(`/pools/52014`, [pool], 200, 5),
  list(`/trades/52014`, [swap], 250, 10),
  list(`/nft/collections/52014`, [collection], 300, 10),
  http.get(`${API}/balances/52014/:address`, () => success(balances, 810)),
)
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

export const service: Service = {
  connect: () => createClient({ apiKey: KEY, retry: false }),
  failBusy: () => fail(503, 'server_busy'),
  exhaustCredits: () => fail(402, 'insufficient_credits'),
  loseResponse: () => server.use(http.get(`${API}/*`, () => HttpResponse.error(), { once: true })),
}
