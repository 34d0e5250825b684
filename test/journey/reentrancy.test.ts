import { expect, test } from 'vitest'
import { costs, ok, price } from '../support/answers.ts'
import { address, addresses, type Setup, setup, watch } from '../support/setup.ts'

const TOKEN = address(1)

/** A client whose listener does something in the midst of the first call that it sends. */
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

test('a listener that asks the same while it is sent joins that request: it is sent, reserved and paid once', async () => {
  const made = interrupted(({ client }) => void watch(client.token.price({ address: TOKEN })), 1_000)
  const outcome = watch(made.client.token.price({ address: TOKEN }))
  await made.clock.advance(0)
  expect(outcome.state).toBe('resolved')
  expect(made.script.requests).toHaveLength(1)
  expect(made.client.budget).toMatchObject({ spent: 50, reserved: 0 })
})

test('whatever a listener asks in between, what was charged is what was spent', async () => {
  const made = interrupted(({ client }) => {
    watch(client.token.price({ address: TOKEN }))
    watch(client.token.price({ address: address(2) }))
  }, 1_000)
  watch(made.client.token.price({ address: TOKEN }))
  await made.clock.advance(0)
  expect(made.client.budget.spent).toBe(50 * made.script.requests.length)
  expect(made.client.credits.charged).toBe(50 * made.script.requests.length)
})

test('a listener that spends what a batch has set aside does not get it', async () => {
  const made = interrupted(({ client }) => void watch(client.token.list()), 1_200)
  const outcome = watch(made.client.prices.batch({ addresses: addresses(100) }))
  await made.clock.advance(0)
  expect(outcome.state).toBe('resolved')
  expect(made.script.requests).toHaveLength(2)
})
