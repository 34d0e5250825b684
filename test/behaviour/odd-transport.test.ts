import type { AttemptOutcome, HttpAttempt, Transport } from 'etn-market'
import { createClient } from 'etn-market'
import { describe, expect, test } from 'vitest'

const PRICE = 25
const text = '{"data":{"usd":"1"}}'
const headers = new Headers({ 'x-credits-cost': String(PRICE) })

/** What a call makes of an outcome that a transport of the user resolves to. */
async function call(outcome: unknown, onHeaders?: unknown, saysSent = true) {
  const transport: Transport = {
    async send(attempt: HttpAttempt) {
      if (saysSent) attempt.onSent()
      if (onHeaders !== undefined) attempt.onHeaders(onHeaders as never)
      return outcome as AttemptOutcome
    },
  }
  const client = createClient({ apiKey: 'esk_live_key', transport, budget: { credits: 100 } })
  const error = await client.etn.price().catch((caught: unknown) => caught)
  const { spent, reserved, uncertain } = client.budget
  await client.close()
  return { error, budget: { spent, reserved, uncertain } }
}

const throwing = {
  get() {
    throw new Error('no headers here')
  },
  [Symbol.iterator]: () => headers[Symbol.iterator](),
}

describe('an outcome that cannot be read or billed is invalid_fetch, and its charge is unknown', () => {
  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['no status', { response: { headers, text } }],
    ['a status of 0', { response: { status: 0, headers, text } }],
    ['a status that is a text', { response: { status: '200', headers, text } }],
    ['headers with get() alone', { response: { status: 200, headers: { get: () => '25' }, text } }],
    ['headers whose get() throws', { response: { status: 200, headers: throwing, text } }],
    [
      'headers whose get() returns numbers',
      { response: { status: 200, headers: { ...throwing, get: () => 25 }, text } },
    ],
    ['a body that is no text', { response: { status: 200, headers, text: new Uint8Array(3) } }],
    ['a failure of no kind', { failure: { mayHaveArrived: false, cause: undefined } }],
    ['a failure of an unknown kind', { failure: { kind: 'weather', mayHaveArrived: false, cause: undefined } }],
    ['a failure that does not say whether it arrived', { failure: { kind: 'network', cause: undefined } }],
    [
      'a getter that throws',
      {
        get response() {
          throw new Error('not yet')
        },
      },
    ],
  ])('%s', async (_, outcome) => {
    const { error, budget } = await call(outcome)
    expect(error).toMatchObject({ name: 'ResponseError', code: 'invalid_fetch', charge: 'unknown', attempts: 1 })
    expect(budget).toEqual({ spent: 0, reserved: 0, uncertain: PRICE })
  })

  test('also where the headers arrived before, in a form that cannot be read', async () => {
    const { error, budget } = await call(undefined, { status: 200, headers: throwing })
    expect(error).toMatchObject({ code: 'invalid_fetch', charge: 'unknown' })
    expect(budget.uncertain).toBe(PRICE)
  })

  test('also where the transport has not said that it has sent', async () => {
    for (const outcome of [undefined, null, 5, {}]) {
      const { error, budget } = await call(outcome, undefined, false)
      expect(error).toMatchObject({ name: 'ResponseError', code: 'invalid_fetch', charge: 'unknown' })
      expect((error as Error).message).toContain('the transport gave no outcome')
      expect(budget).toEqual({ spent: 0, reserved: 0, uncertain: PRICE })
    }
  })
})
