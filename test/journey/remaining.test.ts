import { describe, expect, test } from 'vitest'
import { costs, cutOff, ok, price, refusal } from '../support/answers.ts'
import type { Exchange } from '../support/script.ts'
import { address, setup, watch } from '../support/setup.ts'

const told = (exchange: Exchange | undefined, remaining: number) =>
  exchange?.answer(ok(price(address(1)), costs(50, remaining)))

/** As many calls under way at once. */
async function underWay(count: number) {
  const made = setup()
  for (let call = 0; call < count; call++) watch(made.client.token.price({ address: address(call) }))
  await made.clock.advance(0)
  return made
}

describe('what remains', () => {
  test('is unknown before the first answer', () => {
    expect(setup().client.credits.remaining).toBeUndefined()
  })

  test('never moves up on a late answer', async () => {
    const { client, clock, script } = await underWay(3)
    const [first, second, third] = script.open
    told(third, 850)
    await clock.advance(0)
    told(first, 950)
    await clock.advance(0)
    expect(client.credits.remaining).toBe(850)
    told(second, 900)
    await clock.advance(0)
    expect(client.credits.remaining).toBe(850)
  })

  test('moves down when an older request was answered by the service later', async () => {
    const { client, clock, script } = await underWay(2)
    const [first, second] = script.open
    told(second, 900)
    await clock.advance(0)
    told(first, 850)
    await clock.advance(0)
    expect(client.credits.remaining).toBe(850)
  })

  test('moves up when a later request tells so: the key was topped up', async () => {
    const { client, clock, script } = await underWay(1)
    told(script.open[0], 100)
    await clock.advance(0)
    watch(client.token.price({ address: address(9) }))
    await clock.advance(0)
    told(script.open[0], 5_000)
    await clock.advance(0)
    expect(client.credits.remaining).toBe(5_000)
  })

  test('a header that cannot be read, or an error, tells nothing', async () => {
    const { client, clock, script } = await underWay(4)
    const [first, second, third, fourth] = script.open
    told(first, 500)
    await clock.advance(0)
    second?.answer(ok(price(address(1)), { 'x-credits-cost': '50', 'x-credits-remaining': ['400', '400'] }))
    third?.answer(refusal(404, 'not_found'))
    fourth?.answer(ok(price(address(1)), { 'x-credits-cost': '50', 'x-credits-remaining': '-5' }))
    await clock.advance(0)
    expect(client.credits.remaining).toBe(500)
  })

  test('an answer whose body was cut off tells it too', async () => {
    const { client, clock, script } = await underWay(1)
    script.open[0]?.answer(cutOff(costs(50, 700)))
    await clock.advance(0)
    expect(client.credits.remaining).toBe(700)
  })

  test('is in the meta of the call', async () => {
    const { client } = setup(() => ok(price(address(1)), costs(50, 123)))
    const { meta } = await client.token.price({ address: address(1) }).withMeta()
    expect(meta.credits).toEqual({ estimated: 50, charged: 50, remaining: 123, source: 'header' })
  })
})
