import {
  createFakeService,
  type FakeOperation,
  type FakeService,
  type FakeServiceOptions,
} from '../../src/fake/index.ts'
import { onCaseFinished } from '../support/property.ts'

/** A moment in the middle of everything: no period starts or ends here. */
export const NOON = Date.UTC(2026, 10, 20, 12, 34, 56)
export const BOLT = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'
export const CORE = '0x309B916b3A90cb3E071697Ea9680e9217A30066f'
export const USDC = '0x3187deAd7A2Bd6770F5Fe81495D1B715926AAe6e'
export const WETN = '0x138DAFbDA0CCB3d8E39C19edb0510Fc31b7C1c77'
export const NOBODY = '0x1111111111111111111111111111111111111111'

export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into bodies of any shape
  body: any
}

/** A fake whose time stands still until it is moved; closed when the test is over. */
export function makeFake(options: FakeServiceOptions = {}): FakeService {
  const fake = createFakeService({ clock: { now: () => NOON }, ...options })
  onCaseFinished(() => fake.close())
  return fake
}

/** A fake, and a function that asks it without a server. */
export function play(options: FakeServiceOptions = {}) {
  const fake = makeFake(options)
  const key = Object.keys(fake.keys())[0] ?? 'none'
  const get = (path: string, init?: RequestInit) => answerOf(fake.fetch, fake.baseUrl + path, key, init)
  return { fake, key, get }
}

/** A fake, and functions that ask it without a server: for the response, or for its data. */
export function ask(options: FakeServiceOptions = {}) {
  const fake = makeFake(options)
  const request = (path = '/prices/etn', key = fake.key) =>
    fake.fetch(fake.baseUrl + path, { headers: { authorization: `Bearer ${key}` } })
  const get = async (path: string) => (await (await request(path)).json()).data
  return { fake, request, get }
}

/** A fake that listens, and bare `fetch` to ask it with. */
export async function serve(options: FakeServiceOptions = {}) {
  const fake = makeFake(options)
  const { url } = await fake.listen()
  const key = Object.keys(fake.keys())[0] ?? 'none'
  const get = (path: string, init?: RequestInit) => answerOf(fetch, url + path, key, init)
  return { fake, url, key, get }
}

/** Asks with a key, unless the request brings headers of its own. */
async function answerOf(how: typeof fetch, url: string, key: string, init?: RequestInit): Promise<Answer> {
  const response = await how(url, { headers: { authorization: `Bearer ${key}` }, ...init })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: parse(text) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** A path for every operation, each of them answered with data. */
export function examplePaths(fake: FakeService): Promise<Record<FakeOperation, string>> {
  return examples((path) => answerOf(fake.fetch, fake.baseUrl + path, fake.key))
}

async function examples(get: (path: string) => Promise<Answer>): Promise<Record<FakeOperation, string>> {
  const collection = (await get('/nft/collections/52014?limit=1')).body.data[0].address
  const pool = (await get('/presales/52014?limit=1')).body.data[0].pool
  return {
    'etn.price': '/prices/etn',
    'prices.batch': `/prices/52014?addresses=${BOLT},${CORE},${NOBODY}`,
    'token.price': `/prices/52014/${BOLT}`,
    'token.list': '/tokens/52014',
    'token.get': `/tokens/52014/${BOLT}`,
    'token.candles': `/tokens/52014/${BOLT}/candles`,
    'token.history': `/tokens/52014/${BOLT}/history`,
    'locks.get': `/tokens/52014/${BOLT}/liquidity-locks`,
    'pool.list': '/pools/52014',
    'trade.list': '/trades/52014',
    'nft.stats': '/nft/stats',
    'nft.collections': '/nft/collections/52014',
    'nft.collection': `/nft/collections/52014/${collection}`,
    'nft.assets': `/nft/collections/52014/${collection}/assets`,
    'presale.list': '/presales/52014',
    'presale.get': `/presales/52014/${pool}`,
    'balances.get': `/balances/52014/${BOLT}`,
    'farm.list': '/farms/52014',
    'account.me': '/me',
    'meta.openapi': '/openapi.json',
  }
}
