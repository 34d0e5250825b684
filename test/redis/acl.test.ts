import { createPriceFeed } from 'etn-market/feed'
import type { RedisConnection } from 'etn-market/redis'
import { Redis } from 'ioredis'
import IoValkey from 'iovalkey'
import { createClient } from 'redis'
import { expect, test, vi } from 'vitest'
import { BOLT, rightsOfGuide, useFleet } from './setup.ts'

const setup = useFleet()
const rights = rightsOfGuide()

async function createUser(): Promise<{ username: string; password: string }> {
  await setup.server.command('ACL', 'SETUSER', 'bot', 'reset', 'on', '>secret', ...rights)
  await setup.server.command('ACL', 'LOG', 'RESET')
  return { username: 'bot', password: 'secret' }
}

const LOGINS: Record<string, () => Promise<RedisConnection>> = {
  async redis() {
    const { port } = setup.server
    const client = createClient({ socket: { port, host: '127.0.0.1' }, ...(await createUser()) }).on('error', () => {})
    setup.onEnd(() => client.destroy())
    await client.connect()
    return client
  },
  async ioredis() {
    const { port } = setup.server
    // It asks for INFO by default, and warns that it may not.
    const client = new Redis({ port, host: '127.0.0.1', enableReadyCheck: false, ...(await createUser()) })
    setup.onEnd(() => client.disconnect())
    return client
  },
  async iovalkey() {
    const { port } = setup.server
    const client = new IoValkey({ port, host: '127.0.0.1', enableReadyCheck: false, ...(await createUser()) })
    setup.onEnd(() => client.disconnect())
    return client
  },
}

test.each(Object.entries(LOGINS))(
  'a user with the rights of the guide can do all that a fleet does, with %s',
  async (_, login) => {
    expect(rights).toContain('~{etn-market:*')
    const warn = vi.spyOn(console, 'warn')
    const redis = await login()
    const { client, fleet } = setup.join({}, {}, redis)
    await fleet.initialize()
    await fleet.reconcile(client)
    setup.fake.script('etn.price', [{ status: 429, retryAfter: 0 }, 'ok'])
    setup.fake.script('farm.list', [{ status: 503, code: 'server_busy', retryAfter: 0 }, 'ok'])
    await Promise.all([client.etn.price(), client.farm.list(), client.locks.get({ address: BOLT })])
    setup.fake.fault({ operation: 'nft.stats', reset: 'after' })
    await client.nft.stats({}, { retry: false }).catch(() => {})
    const feed = createPriceFeed(client, { fleet, store: new Map() as never })
    expect((await feed.price(BOLT)).usd).toEqual(expect.any(String))
    await feed.close()
    await fleet.initialize({ budget: { credits: 90_000 } })
    await client.close()
    expect(await fleet.status()).toMatchObject({ limit: 90_000, reserved: 0, slots: { taken: 0 } })
    expect(await setup.server.command('ACL', 'LOG')).toBe('*0\r\n')
    expect(warn).not.toHaveBeenCalled()
  },
)

test('has no right on the keys of others', async () => {
  const login = await createUser()
  const redis = new Redis({ port: setup.server.port, host: '127.0.0.1', enableReadyCheck: false, ...login })
  setup.onEnd(() => redis.disconnect())
  await expect(redis.get('other')).rejects.toThrow(/^NOPERM/)
  await expect(redis.flushall()).rejects.toThrow(/^NOPERM/)
})
