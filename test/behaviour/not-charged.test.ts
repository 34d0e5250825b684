import { describe, expect, test } from 'vitest'
import { costs, cutOff, html, limited, networkError, ok, raw, refusal, tokens } from '../support/answers.ts'
import { attempt, WORST } from '../support/attempt.ts'
import type { Handler } from '../support/script.ts'
import { setup, watch } from '../support/setup.ts'

const charged = (credits: number) => ({ type: 'credits.charged', operation: 'token.list', credits })
const uncertain = { type: 'credits.uncertain', operation: 'token.list', credits: WORST }

describe('an attempt without a success', () => {
  test.each<[string, Handler]>([
    ['a 400', () => refusal(400, 'invalid_request')],
    ['a 404 with a stray header', () => refusal(404, 'not_found', costs(115))],
    ['a 429', () => limited()],
    ['a 404 that is not JSON', () => html(404)],
    ['a 500 with a JSON body', () => refusal(500, 'internal')],
    ['a 502 with a JSON body', () => refusal(502, 'bad_gateway')],
    ['a 504 with a JSON body', () => refusal(504, 'late')],
    ...[500, 501, 503, 505, 519].map((status): [string, Handler] => [`a ${status} without JSON`, () => html(status)]),
    ['an empty 503', () => raw('', {}, 503)],
    ['a port that Node blocks', () => new TypeError('fetch failed', { cause: new Error('bad port') })],
    ['a port that Safari blocks', () => new TypeError('Not allowed to use restricted network port')],
    ['a refused connection', () => networkError('ECONNREFUSED')],
    ['a failure of DNS', () => networkError('ENOTFOUND')],
    ['a failure of DNS that may pass', () => networkError('EAI_AGAIN')],
    ['an expired certificate', () => networkError('CERT_HAS_EXPIRED')],
    ['a self-signed certificate', () => networkError('DEPTH_ZERO_SELF_SIGNED_CERT')],
    ['an unsupported TLS version', () => networkError('ERR_SSL_WRONG_VERSION_NUMBER')],
    ['a certificate of another name', () => networkError('ERR_TLS_CERT_ALTNAME_INVALID')],
    ['a connection that took too long', () => networkError('UND_ERR_CONNECT_TIMEOUT')],
    [
      'all addresses of a host refused',
      () =>
        new TypeError('fetch failed', {
          cause: new AggregateError([{ code: 'ECONNREFUSED' }, { code: 'ENETUNREACH' }]),
        }),
    ],
  ])('%s: charges nothing and releases the reservation', async (_, answer) => {
    const { error, money, creditEvents } = await attempt(answer)
    expect(error).toMatchObject({ charge: 'none', credits: 0 })
    expect(money).toEqual({ spent: 0, uncertain: 0 })
    expect(creditEvents).toEqual([])
  })

  test.each<[string, Handler]>([
    ...[502, 504, 520, 522, 599].map((status): [string, Handler] => [`a ${status} without JSON`, () => html(status)]),
    ['an empty 502', () => raw('', {}, 502)],
    ['a 502 with JSON that is cut off', () => raw('{"error":', {}, 502)],
    ['a 504 whose body was cut off', () => cutOff({}, 504)],
    ['no answer in time', () => undefined],
    ['a reset', () => networkError('ECONNRESET')],
    ['a socket that was closed', () => networkError('UND_ERR_SOCKET')],
    ['a TLS record that broke on the way back', () => networkError('ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC')],
    ['a broken pipe', () => networkError('EPIPE')],
    ['an error without a code', () => new Error('boom')],
  ])('%s: may have been charged, and keeps the worst case as uncertain', async (_, answer) => {
    const { error, money, creditEvents, client } = await attempt(answer)
    expect(error).toMatchObject({ charge: 'unknown', credits: 0 })
    expect(money).toEqual({ spent: 0, uncertain: WORST })
    expect(creditEvents).toEqual([uncertain])
    expect(client.credits).toMatchObject({ charged: 0, uncertain: WORST })
  })
})

describe('several attempts', () => {
  test('each keep a worst case as uncertain when their answers are lost', async () => {
    const { error, money } = await attempt(() => networkError('ECONNRESET'), { limit: 2 })
    expect(error).toMatchObject({ attempts: 3, charge: 'unknown', credits: 0 })
    expect(money).toEqual({ spent: 0, uncertain: 3 * WORST })
  })

  test('add up their credits in the error and in the answer', async () => {
    const lost = await attempt(() => cutOff(costs(115)), { limit: 2 })
    expect(lost.error).toMatchObject({ attempts: 3, charge: 'charged', credits: 345 })
    const answers = [() => cutOff(costs(115)), () => networkError('ECONNRESET'), () => ok(tokens(4), costs(120))]
    const { outcome, money } = await attempt(({ number }) => answers[number - 1]?.(), { limit: 2 })
    expect(outcome.value?.meta).toMatchObject({ attempts: 3, credits: { charged: 235 } })
    expect(money).toEqual({ spent: 235, uncertain: WORST })
  })

  test('have an unknown charge when the charge of one attempt is unknown', async () => {
    const answers = [() => networkError('ECONNRESET'), () => refusal(404, 'not_found')]
    const { error } = await attempt(({ number }) => answers[number - 1]?.(), { limit: 2 })
    expect(error).toMatchObject({ name: 'NotFoundError', attempts: 2, charge: 'unknown', credits: 0 })
  })
})

test('a charge above the worst case is recorded as it is and emits credits.drift', async () => {
  const { money, creditEvents } = await attempt(() => ok(tokens(3), costs(901)))
  expect(money).toEqual({ spent: 901, uncertain: 0 })
  expect(creditEvents).toEqual([
    charged(901),
    { type: 'credits.drift', operation: 'token.list', predicted: WORST, charged: 901 },
  ])
})

test('a free operation is never charged or uncertain and needs no budget', async () => {
  const answers = [() => ok({ credits: 1 }), () => networkError('ECONNRESET'), () => html(502), () => raw('x')]
  const { client, clock, events } = setup(({ number }) => answers[number - 1]?.(), {
    budget: { credits: 0 },
    retry: false,
  })
  for (let call = 0; call < 4; call++) {
    watch(client.account.me())
    await clock.advance(0)
  }
  expect(client.budget).toMatchObject({ spent: 0, uncertain: 0, reserved: 0 })
  expect(events.filter(({ type }) => type === 'credits.uncertain')).toEqual([])
})
