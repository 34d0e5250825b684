import { expect, it } from 'vitest'
import type { FaultOptions, WorldLockOptions, WorldOptions } from '../../src/fake/index.ts'
import { createClient } from '../../src/index.ts'
import { BOLT, makeFake } from './setup.ts'

/** The same object, in which every value is undefined but those of some names. */
const withUndefined = <T extends object>(names: readonly (keyof T)[], given: T): T =>
  Object.assign(Object.fromEntries(names.map((name) => [name, undefined])), given) as T

const TOKEN = '0x3187deAd7A2Bd6770F5Fe81495D1B715926AAe6e'
const POOL = '0x59b5C4D87Ec122CcEa63C6c87A93bbB09105328f'
const WORLDS: WorldOptions[] = [
  {},
  { tokens: [{ address: TOKEN }] },
  {
    only: true,
    tokens: [{ address: TOKEN, usd: '1' }, { address: BOLT }],
    pools: [{ address: POOL, token0: TOKEN, token1: BOLT }],
    locks: { [TOKEN]: [{ percentSupply: 40, unlocksInMs: 1_000 }] },
  },
]
const WORLD_NAMES = [
  'only',
  'tokenCount',
  'tokens',
  'pools',
  'farms',
  'locks',
  'balances',
  'presales',
  'nftCollections',
] as const
const LOCK_NAMES = ['durationMs', 'pair', 'owner'] as const
const TOKEN_NAMES = ['name', 'symbol', 'decimals', 'totalSupply', 'usd'] as const

async function read(world: WorldOptions): Promise<unknown> {
  await using fake = makeFake({ world })
  await using client = createClient({ apiKey: fake.key, fetch: fake.fetch, clock: fake.clock })
  const [tokens, pools] = [await client.token.list({ limit: 100 }), await client.pool.list({ limit: 100 })]
  const locks = await client.locks.get({ address: TOKEN })
  return [tokens, pools, locks, await client.farm.list(), await client.presale.list()]
}

it.each(WORLDS)('a world is the same with undefined for what it leaves out: %j', async (world) => {
  const { tokens, locks } = world
  const lock = locks?.[TOKEN]?.map((one) => withUndefined<WorldLockOptions>(LOCK_NAMES, one))
  const token = tokens?.map((one) => withUndefined(TOKEN_NAMES as never, one))
  const full = withUndefined(WORLD_NAMES as never, {
    ...world,
    ...(token && { tokens: token }),
    ...(lock && { locks: { [TOKEN]: lock } }),
  })
  expect(await read(full)).toEqual(await read(world))
})

it('a fault, a script, a rate limit and a journal take undefined for what they leave out', async () => {
  const limits = { requests: 1, refusalsToLock: undefined, windowMs: undefined, lockMs: undefined }
  await using fake = makeFake({ rateLimit: limits, journal: { max: undefined, headers: undefined } })
  const names = [
    'key',
    'nth',
    'times',
    'probability',
    'when',
    'code',
    'message',
    'headers',
    'retryAfter',
    'delayMs',
    'never',
    'reset',
    'truncate',
    'stall',
    'malformed',
    'front',
    'creditHeaders',
    'date',
    'transform',
    'charge',
  ] as const
  const fault = withUndefined<FaultOptions>(names as never, { operation: 'etn.price', status: 503 })
  expect(fake.fault(fault).label).toBe(makeFake().fault({ operation: 'etn.price', status: 503 }).label)
  const ask = () => fake.fetch(`${fake.baseUrl}/prices/etn`, { headers: { authorization: `Bearer ${fake.key}` } })
  const answer = await ask()
  expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toEqual([
    503,
    '1',
    { error: { code: expect.any(String), message: expect.any(String) } },
  ])
  expect([(await ask()).status, (await ask()).status]).toEqual([200, 429])
})
