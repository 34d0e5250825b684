import { describe, expect, test } from 'vitest'
import { at, complaint } from './broken.ts'

test('the contract as it is, parsed and written again, is taken', () => {
  expect(complaint(() => {})).toBeUndefined()
})

const token = ['components', 'schemas', 'Token'] as const
const name = [...token, 'properties', 'name'] as const
const price = ['paths', '/prices/etn', 'get'] as const
const list = ['paths', '/tokens/{chainId}', 'get'] as const
const me = ['paths', '/me', 'get'] as const

describe('an unknown schema keyword stops the generator at', () => {
  test.each([
    ['a schema', token, 'minProperties', 'components.schemas.Token: unknown schema keyword "minProperties"'],
    ['a field', name, 'maxLength', 'components.schemas.Token.properties.name: unknown schema keyword "maxLength"'],
    [
      'the items of a list',
      [...price.slice(0, 1), '/tokens/{chainId}', 'get'],
      'requestBody',
      'paths./tokens/{chainId}.get: unknown key "requestBody"',
    ],
    ['the schema of a shared parameter', ['components', 'parameters', 'address', 'schema'], 'pattern', '"pattern"'],
  ])('%s', (_, place, keyword, message) => {
    const said = complaint((document) => {
      at(document, ...place)[keyword] = '1'
    })
    expect(said).toContain(message)
  })

  test('the schema of a parameter, named by its place', () => {
    const said = complaint((document) => {
      at(document, ...list, 'parameters', '1', 'schema').multipleOf = 5
    })
    expect(said).toBe(
      'ContractError: paths./tokens/{chainId}.get.parameters.1.schema: unknown schema keyword "multipleOf"',
    )
  })

  test('the items of a list, named by its place', () => {
    const said = complaint((document) => {
      at(document, 'components', 'schemas', 'NftStats', 'properties', 'collections', 'items').minItems = 1
    })
    expect(said).toBe(
      'ContractError: components.schemas.NftStats.properties.collections.items: unknown schema keyword "minItems"',
    )
  })
})

describe('the cost of an operation', () => {
  test('metered, but without x-credits', () => {
    const said = complaint((document) => {
      delete at(document, ...price)['x-credits']
    })
    expect(said).toBe('ContractError: paths./prices/etn.get: metered (not x-free), but without x-credits')
  })

  test('free, but its answer carries the header of a metered one', () => {
    const said = complaint((document) => {
      const headers = at(document, 'components', 'responses', 'EtnPrice').headers
      at(document, 'components', 'responses', 'Account').headers = headers
    })
    expect(said).toContain('paths./me.get: metered')
  })

  test('neither free nor priced', () => {
    const said = complaint((document) => {
      delete at(document, ...me)['x-free']
    })
    expect(said).toContain('paths./me.get: metered (not x-free), but without x-credits')
  })

  test('priced, but its answer does not carry the header', () => {
    const said = complaint((document) => {
      delete at(document, 'components', 'responses', 'EtnPrice').headers
    })
    expect(said).toContain('paths./prices/etn.get: has x-credits, but its answer carries no X-Credits-Cost')
  })

  test.each([
    ['no base', { perItem: 0 }],
    ['a fraction', { base: 2.5, perItem: 0 }],
    ['less than nothing', { base: -25, perItem: 0 }],
    ['items that cost nothing', { base: 25, perItem: 0, items: 'data', maxItems: 5 }],
    ['a price for each item without saying which', { base: 25, perItem: 5, maxItems: 5 }],
    ['a price for each item without saying how many', { base: 25, perItem: 5, items: 'data' }],
  ])('%s', (_, credits) => {
    const said = complaint((document) => {
      at(document, ...price)['x-credits'] = credits
    })
    expect(said).toContain('paths./prices/etn.get.x-credits: needs base, perItem')
  })
})

describe('the grade of a field', () => {
  const usd = ['components', 'schemas', 'EtnPrice', 'properties', 'usd'] as const
  const inferred = ['components', 'schemas', 'Farm', 'properties', 'name'] as const

  test.each([
    ['missing', undefined],
    ['not one of the four', 'rumoured'],
  ])('%s', (_, grade) => {
    const said = complaint((document) => {
      at(document, ...name)['x-evidence'] = grade
    })
    expect(said).toBe(
      'ContractError: components.schemas.Token.properties.name: x-evidence is missing or not one of documented, observed, inferred, assumed',
    )
  })

  test('missing in an envelope', () => {
    const envelope = ['responses', 'EtnPrice', 'content', 'application/json', 'schema', 'properties', 'data']
    const said = complaint((document) => {
      delete at(document, 'components', ...envelope)['x-evidence']
    })
    expect(said).toContain('properties.data: x-evidence is missing')
  })

  test.each([
    ['assumed', usd, 'EtnPrice', 'usd'],
    ['inferred', inferred, 'Farm', 'name'],
  ])('%s, but required', (grade, place, schema, field) => {
    const said = complaint((document) => {
      at(document, ...place.slice(0, 3)).required = [field]
    })
    expect(said).toBe(
      `ContractError: components.schemas.${schema}.properties.${field}: ${grade}, so it cannot be required`,
    )
  })

  test.each([
    ['assumed', usd],
    ['inferred', inferred],
  ])('%s, but not nullable', (grade, place) => {
    const said = complaint((document) => {
      at(document, ...place).type = 'string'
    })
    expect(said).toContain(`${place.join('.')}: ${grade}, so it must be nullable`)
  })

  test('observed, but optional without a reason', () => {
    const said = complaint((document) => {
      at(document, ...token).required = ['address', 'symbol', 'decimals', 'totalSupply']
    })
    expect(said).toContain('components.schemas.Token.properties.name: observed, so it is required')
  })

  test('required, but not described', () => {
    const said = complaint((document) => {
      at(document, ...token).required = ['address', 'name', 'symbol', 'decimals', 'totalSupply', 'price']
    })
    expect(said).toContain('components.schemas.Token: required field "price" is not described')
  })
})
