import { describe, expect, test } from 'vitest'
import { at, generatorError } from './generator-error.ts'

const operation = ['paths', '/tokens/{chainId}', 'get'] as const
const collections = ['components', 'schemas', 'NftStats', 'properties', 'collections'] as const

describe('rejects a key that the generator does not know, and names its place:', () => {
  test.each([
    ['a schema', ['components', 'schemas', 'Token'], 'x-sorted', 'components.schemas.Token'],
    ['a field', ['components', 'schemas', 'Token', 'properties', 'name'], 'x-unit', 'Token.properties.name'],
    ['a schema', ['components', 'schemas', 'Token'], 'minProperties', 'components.schemas.Token'],
    ['a field', ['components', 'schemas', 'Token', 'properties', 'name'], 'maxLength', 'Token.properties.name'],
    ['the items of a list', [...collections, 'items'], 'minItems', 'NftStats.properties.collections.items'],
    ['the schema of a parameter', [...operation, 'parameters', '1', 'schema'], 'multipleOf', 'parameters.1.schema'],
    ['the schema of a shared parameter', ['components', 'parameters', 'address', 'schema'], 'pattern', 'address'],
    ['an operation', operation, 'requestBody', 'paths./tokens/{chainId}.get'],
    ['an operation', operation, 'x-cache', 'paths./tokens/{chainId}.get'],
    ['a cost', [...operation, 'x-credits'], 'x-minimum', 'paths./tokens/{chainId}.get.x-credits'],
    ['a parameter', [...operation, 'parameters', '1'], 'x-anycase', 'paths./tokens/{chainId}.get.parameters.1'],
    ['the schema of a parameter', [...operation, 'parameters', '1', 'schema'], 'x-unit', 'parameters.1.schema'],
    ['a shared parameter', ['components', 'parameters', 'address'], 'x-any-kase', 'address'],
    ['a path', ['paths', '/tokens/{chainId}'], 'x-heavy', 'paths./tokens/{chainId}'],
    ['an answer', ['components', 'responses', 'TokenList'], 'x-metered', 'TokenList'],
    ['a header', ['components', 'headers', 'CreditsCost'], 'x-unit', 'CreditsCost'],
    ['the document', [], 'x-credits', 'ContractError'],
  ])('at %s', (_, place, key, named) => {
    const error = generatorError((document) => {
      at(document, ...place)[key] = true
    })
    expect(error ?? 'the generator accepted it').toContain(`"${key}"`)
    expect(error).toContain(named)
  })

  test.each([
    ['parameters that hold for a whole path', 'parameters', []],
    ['a second method', 'post', {}],
  ])('%s', (_, key, value) => {
    const error = generatorError((document) => {
      at(document, 'paths', '/tokens/{chainId}')[key] = value
    })
    expect(error ?? 'the generator accepted it').toContain('paths./tokens/{chainId}')
  })
})

describe('rejects a meaningless value of a known key:', () => {
  test.each([
    ['x-heavy', ['paths', '/farms/{chainId}', 'get'], 'x-heavy', 'yes'],
    ['x-free', ['paths', '/me', 'get'], 'x-free', 'yes'],
    ['x-may-be-bare', ['paths', '/openapi.json', 'get'], 'x-may-be-bare', true],
    ['x-freshness', operation, 'x-freshness', '60s'],
    ['x-freshness that is missing', operation, 'x-freshness', undefined],
    ['a default', ['paths', '/pools/{chainId}', 'get', 'parameters', '2', 'schema'], 'default', 4],
    ['a default without a list of values', [...operation, 'parameters', '1', 'schema'], 'default', 20],
    ['x-any-case', [...operation, 'parameters', '1'], 'x-any-case', 'yes'],
    ['x-open-enum', ['components', 'schemas', 'Presale', 'properties', 'status'], 'x-open-enum', 'PENDING'],
    ['the place of the items', [...operation, 'x-credits'], 'items', 'data.tokens'],
    ['the parameter that holds the items', ['paths', '/prices/{chainId}', 'get', 'x-credits'], 'items', 'query.list'],
    [
      'a schema that does not exist',
      ['components', 'schemas', 'Pool', 'properties', 'token0'],
      '$ref',
      '#/components/schemas/PoolTokn',
    ],
  ])('%s', (_, place, key, value) => {
    const error = generatorError((document) => {
      at(document, ...place)[key] = value
    })
    expect(error ?? 'the generator accepted it').toMatch(/^ContractError: .*(paths|components)\./)
  })

  test.each([
    ['an object', 'NftStats', 'stats', { type: ['object', 'null'], properties: {}, 'x-evidence': 'observed' }],
    [
      'a record',
      'BalanceDocument',
      'balances',
      { type: ['object', 'null'], additionalProperties: { type: 'string' }, 'x-evidence': 'observed' },
    ],
  ])('%s that may be null is not read as one that may not be', (_, schema, field, node) => {
    const error = generatorError((document) => {
      at(document, 'components', 'schemas', schema, 'properties')[field] = node
      const { required } = at(document, 'components', 'schemas', schema)
      at(document, 'components', 'schemas', schema).required = [...new Set([...(required as string[]), field])]
    })
    expect(error ?? 'the generator accepted it and dropped the null').toContain(`components.schemas.${schema}`)
  })
})
