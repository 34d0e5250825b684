import { ApiError } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { costs, ok, price, raw } from '../support/answers.ts'
import { address, KEY, rejection, setup } from '../support/setup.ts'

const TOKEN = address(1)
const to = (location: string, status = 302) => raw('', { location }, status)

describe('a redirect', () => {
  test.each([
    'https://evil.test/v1/prices/52014/x',
    'http://market.test/v1/prices/52014/x',
    'https://market.test:8443/v1/prices/52014/x',
    'https://market.test.evil.test/v1',
    '//evil.test/v1',
    'https://evil.test\\@market.test/v1',
    'https://market.test@evil.test/',
    'data:application/json,{}',
  ])('to another origin is not followed: %s', async (location) => {
    for (const status of [301, 302, 303, 307, 308]) {
      const { client, script } = setup(
        ({ number }) => (number === 1 ? to(location, status) : ok(price(TOKEN), costs(50))),
        {
          budget: { credits: 50 },
        },
      )
      const error = await rejection(client.token.price({ address: TOKEN }), ApiError)
      expect(error).toMatchObject({ code: 'redirect_not_followed', charge: 'unknown', attempts: 1 })
      expect(script.requests).toHaveLength(1)
      expect(client.budget).toMatchObject({ spent: 0, uncertain: 50 })
    }
  })

  test.each(['/v1/moved', 'https://market.test/v1/moved', 'moved?x=1', '../moved'])(
    'within the origin is followed, with the key: %s',
    async (location) => {
      const { client, script } = setup(({ number }) => (number === 1 ? to(location, 308) : ok(price(TOKEN), costs(50))))
      await client.token.price({ address: TOKEN })
      expect(script.requests).toHaveLength(2)
      expect(script.requests[1]?.url.origin).toBe('https://market.test')
      expect(script.requests[1]?.headers.get('authorization')).toBe(`Bearer ${KEY}`)
    },
  )

  test('within the origin that leads to another origin is not followed there', async () => {
    const { client, script } = setup(({ number }) => (number === 1 ? to('/v1/moved') : to('https://evil.test/')))
    await rejection(client.token.price({ address: TOKEN }), ApiError)
    expect(script.requests.map(({ url }) => url.origin)).toEqual(['https://market.test', 'https://market.test'])
  })

  test.each(['/v1/again', '', 'http://['])(
    'to itself or to an invalid location ends with an error: %j',
    async (location) => {
      const { client, script } = setup(() => to(location))
      await rejection(client.token.price({ address: TOKEN }, { retry: false }), ApiError)
      expect(script.requests.length).toBeLessThan(10)
    },
  )

  test('that is opaque, as in a browser, is not followed', async () => {
    const opaque = Object.defineProperties(new Response(), { type: { value: 'opaqueredirect' }, status: { value: 0 } })
    const { client, script } = setup(() => opaque)
    await expect(client.token.price({ address: TOKEN })).rejects.toMatchObject({
      code: 'redirect_not_followed',
      charge: 'unknown',
    })
    expect(script.requests).toHaveLength(1)
  })
})
