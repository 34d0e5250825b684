import { expect, test } from 'vitest'
import { costs, ok, price } from '../support/answers.ts'
import { address, addresses, type Setup, setup, watch } from '../support/setup.ts'

const TOKEN = address(1)

/** A client whose listener runs `act` during the first `request.sent`. */
function interrupted(act: (made: Setup) => void, credits: number): Setup {
  let done = false
  const made: Setup = setup(() => ok(price(TOKEN), costs(50)), {
    budget: { credits },
    onEvent: (event) => {
      if (event.type !== 'request.sent' || done) return
      done = true
      act(made)
    },
  })
  return made
}

test('of the calls that a listener makes during request.sent, the same one shares the request, and each is charged once', async () => {
  const made = interrupted(({ client }) => {
    watch(client.token.price({ address: TOKEN }))
    watch(client.token.price({ address: address(2) }))
  }, 1_000)
  const outcome = watch(made.client.token.price({ address: TOKEN }))
  await made.clock.advance(0)
  expect(outcome.state).toBe('resolved')
  expect(made.script.requests).toHaveLength(2)
  expect(made.client.budget).toMatchObject({ spent: 100, reserved: 0 })
  expect(made.client.credits.charged).toBe(100)
})

test('a listener cannot spend the credits that a batch has reserved', async () => {
  const made = interrupted(({ client }) => void watch(client.token.list()), 1_200)
  const outcome = watch(made.client.prices.batch({ addresses: addresses(100) }))
  await made.clock.advance(0)
  expect(outcome.state).toBe('resolved')
  expect(made.script.requests).toHaveLength(2)
})
