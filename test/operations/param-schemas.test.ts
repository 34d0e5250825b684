import { isEtnMarketError, type OperationId, operations } from 'etn-market'
import { schemas } from 'etn-market/schemas'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Operation, Param } from '../../src/operations/operation.ts'
import { ruleOf } from '../../src/operations/operation.ts'
import { validateParams } from '../../src/operations/validate-params.ts'
import { testProperty } from '../support/property.ts'

const ids = Object.keys(operations) as OperationId[]
const BOLT = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'

function isAccepted(operation: OperationId, params: object): boolean {
  try {
    validateParams(operation, params)
    return true
  } catch (error) {
    if (isEtnMarketError(error)) return false
    throw error
  }
}

const digit = fc.constantFrom(...'0123456789abcdefABCDEF')
const digits = fc.string({ unit: digit, minLength: 40, maxLength: 40 })
const address = fc.oneof(
  { weight: 8, arbitrary: digits.map((text) => `0x${text.toLowerCase()}`) },
  { weight: 8, arbitrary: fc.constantFrom(BOLT, BOLT.toLowerCase(), `0x${BOLT.slice(2).toUpperCase()}`) },
  { weight: 1, arbitrary: digits.map((text) => `0x${text}`) },
  { weight: 1, arbitrary: fc.constantFrom(BOLT.replace('f', 'F'), `${BOLT}\n`, BOLT.slice(2)) },
)

function argumentOf(param: Param): fc.Arbitrary<unknown> {
  switch (param.kind) {
    case 'address':
      return address
    case 'addresses':
      return fc.array(address, { maxLength: 10 })
    case 'limit':
      return fc.oneof(fc.integer({ min: -1, max: param.max + 1 }), fc.double())
    case 'choice':
      return fc
        .tuple(fc.constantFrom(...param.values), fc.constantFrom('as is', 'lower', 'mixed', 'text'))
        .map(([value, how]) => {
          if (how === 'as is') return value
          const text = String(value).toLowerCase()
          return how === 'mixed' ? text.charAt(0) + text.slice(1).toUpperCase() : text
        })
  }
}

/** Mostly right parameters, with missing, unknown and arbitrary ones among them. */
function paramsOf(id: OperationId): fc.Arbitrary<object> {
  const { params }: Operation = operations[id]
  const junk = fc.oneof(fc.anything(), fc.constantFrom(undefined, null, Number.NaN, '', 'daſ'))
  const known = Object.fromEntries(
    params.map((param) => [param.name, fc.oneof({ weight: 15, arbitrary: argumentOf(param) }, junk)]),
  )
  const chainId = fc.oneof({ weight: 15, arbitrary: fc.constant(52014) }, junk)
  const unknown = fc.dictionary(fc.string(), junk, { maxKeys: 1 })
  const given = fc.record({ ...known, chainId }, { requiredKeys: [] })
  return fc.oneof(
    { weight: 4, arbitrary: given },
    fc.tuple(given, unknown).map(([a, b]) => ({ ...a, ...b })),
  )
}

describe.each(ids)('%s:', (id) => {
  let accepted = 0

  testProperty(
    'the schema accepts and rejects the same parameters as a call, and what it returns is the same call',
    fc.property(paramsOf(id), (params) => {
      const isRight = isAccepted(id, params)
      if (isRight) accepted++
      const { success, data } = schemas[id].params.safeParse(params)
      expect(success, JSON.stringify(params)).toBe(isRight)
      if (success) expect(validateParams(id, data).values).toEqual(validateParams(id, params).values)
    }),
    { cases: 150, afterAll: () => expect(accepted).toBeGreaterThan(10) },
  )
})

describe('the message of an issue', () => {
  const rules = ids.flatMap((id) => operations[id].params.map((param) => [id, param.name, param as Param] as const))

  test.each(rules)('%s: names the rule of %s, as the error of a call does', (id, name, param) => {
    const { error } = schemas[id].params.safeParse({ [name]: {} })
    expect(error?.issues.find(({ path }) => path[0] === name)?.message).toBe(`must be ${ruleOf(param)}`)
    expect(() => validateParams(id, { [name]: {} })).toThrow(/must be/)
  })

  test.each([
    [{ limt: 5 }, 'unknown parameter "limt"; known: chainId, limit'],
    [{ chainId: 1 }, 'must be 52014, the only chain'],
    [5, 'must be an object of parameters'],
  ])('of %j is %j', (params, message) => {
    expect(schemas['token.list'].params.safeParse(params).error?.issues.map((issue) => issue.message)).toEqual([
      message,
    ])
  })
})
