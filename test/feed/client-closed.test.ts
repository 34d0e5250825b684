import { fakeTokens } from 'etn-market/fake'
import { expect, test } from 'vitest'
import { watch } from '../support/setup.ts'
import { MINUTE, SECOND, setupFeed } from './setup.ts'

const { BOLT, CORE } = fakeTokens
const WALLET = `0x${'0'.repeat(37)}abc`

test('every iteration of a feed rejects once its client is closed', async () => {
  const { feed, client, clock } = setupFeed()
  const followed = {
    watch: feed.watch(CORE, { everyMs: MINUTE }),
    alert: feed.alert(BOLT, { above: '1000000', everyMs: MINUTE }),
    watchCandles: feed.watchCandles(BOLT, { bucket: '1m', everyMs: MINUTE }),
    portfolio: feed.portfolio(WALLET, { everyMs: MINUTE }),
    trades: feed.trades({ everyMs: MINUTE }),
  }
  const ends = Object.entries(followed).map(([name, iteration]) => {
    const read = async () => {
      for await (const _ of iteration as AsyncIterable<unknown>);
    }
    return [name, watch(read())] as const
  })
  await clock.advance(10 * SECOND)
  expect(ends.filter(([, { state }]) => state !== 'pending').map(([name]) => name)).toEqual([])
  await client.close()
  await clock.advance(10 * MINUTE)
  for (const [name, { error }] of ends) expect(error, name).toMatchObject({ code: 'client_closed' })
})
