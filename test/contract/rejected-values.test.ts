import { describe, expect, test } from 'vitest'
import { at, generatorError } from './generator-error.ts'

test('accepts the contract as it is, parsed and written again', () => {
  expect(generatorError(() => {})).toBeUndefined()
})

const token = ['components', 'schemas', 'Token'] as const
const name = [...token, 'properties', 'name'] as const
const price = ['paths', '/prices/etn', 'get'] as const
const _list = ['paths', '/tokens/{chainId}', 'get'] as const
const me = ['paths', '/me', 'get'] as const

describe('rejects an operation', () => {
  test('that is metered but has no x-credits', () => {
    const error = generatorError((document) => {
      delete at(document, ...price)['x-credits']
    })
    expect(error).toBe('ContractError: paths./prices/etn.get: metered (not x-free), but without x-credits')
  })

  test('that is free but whose answer has the header of a metered one', () => {
    const error = generatorError((document) => {
      const headers = at(document, 'components', 'responses', 'EtnPrice').headers
      at(document, 'components', 'responses', 'Account').headers = headers
    })
    expect(error).toContain('paths./me.get: metered')
  })

  test('that is neither free nor priced', () => {
    const error = generatorError((document) => {
      delete at(document, ...me)['x-free']
    })
    expect(error).toContain('paths./me.get: metered (not x-free), but without x-credits')
  })

  test('that is priced but whose answer lacks the header', () => {
    const error = generatorError((document) => {
      delete at(document, 'components', 'responses', 'EtnPrice').headers
    })
    expect(error).toContain('paths./prices/etn.get: has x-credits, but its answer carries no X-Credits-Cost')
  })

  test.each([
    ['without a base', { perItem: 0 }],
    ['with a fractional base', { base: 2.5, perItem: 0 }],
    ['with a negative base', { base: -25, perItem: 0 }],
    ['with items that cost 0', { base: 25, perItem: 0, items: 'data', maxItems: 5 }],
    ['with a price for each item but no items', { base: 25, perItem: 5, maxItems: 5 }],
    ['with a price for each item but no maxItems', { base: 25, perItem: 5, items: 'data' }],
  ])('%s', (_, credits) => {
    const error = generatorError((document) => {
      at(document, ...price)['x-credits'] = credits
    })
    expect(error).toContain('paths./prices/etn.get.x-credits: needs base, perItem')
  })
})

describe('rejects a field whose grade is', () => {
  const usd = ['components', 'schemas', 'EtnPrice', 'properties', 'usd'] as const
  const inferred = ['components', 'schemas', 'Farm', 'properties', 'name'] as const

  test.each([
    ['missing', undefined],
    ['unknown', 'rumoured'],
  ])('%s', (_, grade) => {
    const error = generatorError((document) => {
      at(document, ...name)['x-evidence'] = grade
    })
    expect(error).toBe(
      'ContractError: components.schemas.Token.properties.name: x-evidence is missing or not one of documented, observed, inferred, assumed',
    )
  })

  test('missing, in an envelope', () => {
    const envelope = ['responses', 'EtnPrice', 'content', 'application/json', 'schema', 'properties', 'data']
    const error = generatorError((document) => {
      delete at(document, 'components', ...envelope)['x-evidence']
    })
    expect(error).toContain('properties.data: x-evidence is missing')
  })

  test.each([
    ['assumed', usd, 'EtnPrice', 'usd'],
    ['inferred', inferred, 'Farm', 'name'],
  ])('%s, when the field is required', (grade, place, schema, field) => {
    const error = generatorError((document) => {
      at(document, ...place.slice(0, 3)).required = [field]
    })
    expect(error).toBe(
      `ContractError: components.schemas.${schema}.properties.${field}: ${grade}, so it cannot be required`,
    )
  })

  test.each([
    ['assumed', usd],
    ['inferred', inferred],
  ])('%s, when the field is not nullable', (grade, place) => {
    const error = generatorError((document) => {
      at(document, ...place).type = 'string'
    })
    expect(error).toContain(`${place.join('.')}: ${grade}, so it must be nullable`)
  })

  test('observed, when the field is optional without a reason', () => {
    const error = generatorError((document) => {
      at(document, ...token).required = ['address', 'symbol', 'decimals', 'totalSupply']
    })
    expect(error).toContain('components.schemas.Token.properties.name: observed, so it is required')
  })
})

test('rejects a required field without a description', () => {
  const error = generatorError((document) => {
    at(document, ...token).required = ['address', 'name', 'symbol', 'decimals', 'totalSupply', 'price']
  })
  expect(error).toContain('components.schemas.Token: required field "price" is not described')
})
