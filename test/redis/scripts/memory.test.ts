import { beforeEach, expect, test } from 'vitest'
import { BUY } from '../../../src/redis/scripts/clock.lua.ts'
import { LEASE_MS, useScripts } from './setup.ts'

const scripts = useScripts()
const { keys, initialize, reserve, confirm, settle, cancel, renew, status } = scripts

beforeEach(async () => {
  await scripts.redis.config('SET', 'maxmemory', '0')
  await initialize()
  for (const id of ['a', 'b', 'c', 'd']) await reserve(id, 100)
  await scripts.redis.config('SET', 'maxmemory', '1')
})

test('without memory nothing is reserved', async () => {
  await expect(reserve('e', 100)).rejects.toThrow(/^OOM /)
  await expect(confirm('a', 100)).rejects.toThrow(/^OOM /)
  await expect(scripts.reconcile()).rejects.toThrow(/^OOM /)
})

test('without memory everything is settled, renewed and read', async () => {
  expect((await settle('a', 's', 60)).verdict).toBe('s')
  expect((await settle('b', 'f')).verdict).toBe('f')
  expect((await settle('c', 'u')).verdict).toBe('u')
  expect(await cancel('new')).toBe('c')
  expect(await renew('d')).toEqual([1])
  expect(await scripts.run(BUY, keys.buy, ['one', LEASE_MS, 'a'])).toEqual([1])
  expect((await status()).totals).toEqual([60, 100, 100])
})
