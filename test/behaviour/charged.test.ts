import { describe, expect, test } from 'vitest'
import { costs, cutOff, networkError, ok, raw, stalled, tokens } from '../support/answers.ts'
import { attempt, WORST } from '../support/attempt.ts'
import type { Handler } from '../support/script.ts'

const computed = (credits: number) => ({ type: 'credits.computed', operation: 'token.list', credits })
const charged = (credits: number) => ({ type: 'credits.charged', operation: 'token.list', credits })
const uncertain = { type: 'credits.uncertain', operation: 'token.list', credits: WORST }

describe('a 2xx response', () => {
  test('with a valid header settles its figure and frees the rest', async () => {
    const { outcome, money, creditEvents, client } = await attempt(() => ok(tokens(3), costs(115)))
    expect(outcome.value?.meta.credits).toMatchObject({ estimated: WORST, charged: 115, source: 'header' })
    expect(money).toEqual({ spent: 115, uncertain: 0 })
    expect(creditEvents).toEqual([charged(115)])
    expect(client.credits).toMatchObject({
      charged: 115,
      computed: 0,
      uncertain: 0,
      byOperation: { 'token.list': 115 },
    })
  })

  test.each<[string, Record<string, string | string[]>]>([
    ['missing', {}],
    ['unreadable', { 'x-credits-cost': 'many' }],
    ['negative', { 'x-credits-cost': '-115' }],
    ['a fraction', { 'x-credits-cost': '115.0' }],
    ['duplicated', { 'x-credits-cost': ['115', '115'] }],
    ['beyond any number', { 'x-credits-cost': '9'.repeat(40) }],
  ])(
    'with a header that is %s settles the computed price of the items and emits credits.computed',
    async (_, headers) => {
      const { outcome, money, creditEvents, client } = await attempt(() => ok(tokens(3), headers))
      expect(outcome.value?.meta.credits).toMatchObject({ charged: 115, source: 'computed' })
      expect(money).toEqual({ spent: 115, uncertain: 0 })
      expect(creditEvents).toEqual([computed(115)])
      expect(client.credits).toMatchObject({ charged: 115, computed: 115 })
    },
  )

  test('whose body cannot be decoded, without a header, settles the worst case', async () => {
    const { error, money } = await attempt(() => raw('<html>'))
    expect(error).toMatchObject({ name: 'ResponseError', charge: 'charged', credits: WORST })
    expect(money).toEqual({ spent: WORST, uncertain: 0 })
  })

  test.each<[string, Handler, string]>([
    ['cut off', () => cutOff(costs(115)), 'ConnectionError'],
    ['stalled', () => stalled(costs(115)), 'TimeoutError'],
  ])('whose body was %s settles the header', async (_, answer, name) => {
    const { error, money, creditEvents } = await attempt(answer)
    expect(error).toMatchObject({ name, charge: 'charged', credits: 115 })
    expect(money).toEqual({ spent: 115, uncertain: 0 })
    expect(creditEvents).toEqual([charged(115)])
  })

  test.each<[string, Handler, string]>([
    ['cut off', () => cutOff(), 'ConnectionError'],
    ['stalled', () => stalled(), 'TimeoutError'],
    ['cut off by a broken TLS record', () => cutOff({}, 200, networkError('ERR_SSL_BAD_RECORD')), 'ConnectionError'],
  ])('whose body was %s, without a header, keeps the worst case as uncertain', async (_, answer, name) => {
    const { error, money, creditEvents } = await attempt(answer)
    expect(error).toMatchObject({ name, charge: 'unknown', credits: 0 })
    expect(money).toEqual({ spent: 0, uncertain: WORST })
    expect(creditEvents).toEqual([uncertain])
  })

  test('whose body was cut off by a TLS error settles the header', async () => {
    const { money } = await attempt(() => cutOff(costs(115), 200, networkError('ERR_SSL_BAD_RECORD')))
    expect(money).toEqual({ spent: 115, uncertain: 0 })
  })
})
