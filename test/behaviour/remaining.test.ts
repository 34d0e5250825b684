import { describe, expect, test } from 'vitest'
import { costs, cutOff, ok, price, refusal } from '../support/answers.ts'
import type { Exchange } from '../support/script.ts'
import { address, setup, watch } from '../support/setup.ts'

const answerWith = (exchange: Exchange | undefined, remaining: number) =>
  exchange?.answer(ok(price(address(1)), costs(50, remaining)))

/** A client with this many calls in flight. */
async function underWay(count: number) {
  const made = setup()
  for (let call = 0; call < count; call++) watch(made.client.token.price({ address: address(call) }))
  await made.clock.advance(0)
  return made
}

describe('the remaining credits', () => {
  test('are unknown before the first answer', () => {
    expect(setup().client.credits.remaining).toBeUndefined()
  })

  test.each<[string, number, readonly [request: number, remaining: number][]]>([
    [
      'never increase with a late answer',
      850,
      [
        [2, 850],
        [0, 950],
        [1, 900],
      ],
    ],
    [
      'decrease with a later answer to an earlier request',
      850,
      [
        [1, 900],
        [0, 850],
      ],
    ],
  ])('%s', async (_, remaining, answers) => {
    const { client, clock, script } = await underWay(3)
    const sent = [...script.open]
    for (const [request, left] of answers) {
      answerWith(sent[request], left)
      await clock.advance(0)
    }
    expect(client.credits.remaining).toBe(remaining)
  })

  test('increase with the answer to a later request, after a top-up', async () => {
    const { client, clock, script } = await underWay(1)
    answerWith(script.open[0], 100)
    await clock.advance(0)
    watch(client.token.price({ address: address(9) }))
    await clock.advance(0)
    answerWith(script.open[0], 5_000)
    await clock.advance(0)
    expect(client.credits.remaining).toBe(5_000)
  })

  test('do not change with an unreadable header or an error', async () => {
    const { client, clock, script } = await underWay(4)
    const [first, second, third, fourth] = script.open
    answerWith(first, 500)
    await clock.advance(0)
    second?.answer(ok(price(address(1)), { 'x-credits-cost': '50', 'x-credits-remaining': ['400', '400'] }))
    third?.answer(refusal(404, 'not_found'))
    fourth?.answer(ok(price(address(1)), { 'x-credits-cost': '50', 'x-credits-remaining': '-5' }))
    await clock.advance(0)
    expect(client.credits.remaining).toBe(500)
  })

  test('are read from an answer whose body was cut off', async () => {
    const { client, clock, script } = await underWay(1)
    script.open[0]?.answer(cutOff(costs(50, 700)))
    await clock.advance(0)
    expect(client.credits.remaining).toBe(700)
  })
})
