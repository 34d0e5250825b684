import { describe, expect, test } from 'vitest'
import { generate, readSources } from '../../src/contract/generator/generate.ts'

const { contract, readme } = readSources()
type Node = Record<string, unknown>

/** The error of the generator after a change of the contract; undefined when it accepts the change. */
function errorAfter(change: (document: Node) => void): string | undefined {
  const document = structuredClone(contract) as Node
  change(document)
  try {
    generate(document, readme)
    return undefined
  } catch (error) {
    const { name, message } = error as Error
    return `${name}: ${message}`
  }
}

/** The object at a place of the contract, for example `paths /me get`. */
function at(document: Node, place: string): Node {
  const steps = place === '' ? [] : place.split(' ')
  return steps.reduce((node, key) => {
    const next = node[key]
    if (typeof next !== 'object' || next === null) throw new Error(`No such place in the contract: ${place}`)
    return next as Node
  }, document)
}

const LIST = 'paths /tokens/{chainId} get'
const PRICE = 'paths /prices/{chainId}/{address} get'
const BATCH = 'paths /prices/{chainId} get'
const ETN = 'paths /prices/etn get'
const ME = 'paths /me get'
const DOCUMENT = 'paths /openapi.json get'
const LIMIT = `${LIST} parameters 1`
const ADDRESSES = `${BATCH} parameters 1 schema`
const ADDRESS = 'components parameters address'
const RESPONSES = 'components responses'
const ACCOUNT = `${RESPONSES} AccountResponse`
const ETN_ANSWER = `${RESPONSES} EtnPriceResponse`
const ETN_DATA = `${ETN_ANSWER} content application/json schema properties data`
const SCHEMAS = 'components schemas'
const TOKEN = `${SCHEMAS} Token`
const NAME = `${TOKEN} properties name`
const POOL_TOKEN = `${SCHEMAS} Pool properties token0`
const USD = `${SCHEMAS} EtnPrice properties usd`
const FARM_NAME = `${SCHEMAS} Farm properties name`
const ITEMS = `${SCHEMAS} NftStats properties collections items`

const more =
  (item: unknown) =>
  (list: unknown): unknown => [...(list as unknown[]), item]
const parameter = (name: string) => more({ $ref: `#/components/parameters/${name}` })
const withoutToken = (tags: unknown): unknown => (tags as Node[]).filter(({ name }) => name !== 'token')
const withoutLast = (list: unknown): unknown => (list as unknown[]).slice(0, -1)

const NO_GRADE = '…: x-evidence is missing or not one of documented, observed, inferred, assumed'
const NO_FORMAT = '…: a text has a format and its pattern, or neither'
const NO_COST = '….x-credits: needs base, perItem and, where it is above 0, items and maxItems'
const NO_OBJECT = ': an object that may be null must be a $ref in anyOf'
const COST_HEADER = { 'X-Credits-Cost': { $ref: '#/components/headers/CreditsCost' } }
const [inList, inPrice, inBatch] = [LIST, PRICE, BATCH].map((place) => place.replaceAll(' ', '.'))
const TAGS = '….tags: must be [token], the group of the operationId'
const NULLABLE = { type: ['object', 'null'], 'x-evidence': 'inferred' }

/** A key at a place, its new value or a function that makes it of the old one, and the error, where `…` stands for the place. */
type Change = readonly [place: string, key: string, value: unknown, error: string]

const CHANGES: Record<string, readonly Change[]> = {
  'a key that the generator does not know': [
    ['', 'x-credits', true, 'the document: unknown key "x-credits"'],
    [TOKEN, 'x-sorted', true, '…: unknown schema keyword "x-sorted"'],
    [TOKEN, 'minProperties', true, '…: unknown schema keyword "minProperties"'],
    [NAME, 'x-unit', true, '…: unknown schema keyword "x-unit"'],
    [NAME, 'maxLength', true, '…: unknown schema keyword "maxLength"'],
    [ITEMS, 'minItems', true, '…: unknown schema keyword "minItems"'],
    [`${LIMIT} schema`, 'multipleOf', true, '…: unknown schema keyword "multipleOf"'],
    [`${LIMIT} schema`, 'x-unit', true, '…: unknown schema keyword "x-unit"'],
    [LIMIT, 'x-anycase', true, '…: unknown key "x-anycase"'],
    [`${ADDRESS} schema`, 'pattern', true, '…: unknown schema keyword "pattern"'],
    [ADDRESS, 'x-any-kase', true, '…: unknown key "x-any-kase"'],
    [LIST, 'requestBody', true, '…: unknown key "requestBody"'],
    [LIST, 'x-cache', true, '…: unknown key "x-cache"'],
    [`${LIST} x-credits`, 'x-minimum', true, '…: unknown key "x-minimum"'],
    ['paths /tokens/{chainId}', 'x-heavy', true, '…: unknown key "x-heavy"'],
    ['paths /tokens/{chainId}', 'parameters', [], '…: unknown key "parameters"'],
    ['paths /tokens/{chainId}', 'post', {}, '…: unknown key "post"'],
    [`${RESPONSES} TokenListResponse`, 'x-metered', true, '…: unknown key "x-metered"'],
    ['components headers CreditsCost', 'x-unit', true, '…: unknown key "x-unit"'],
  ],
  'a meaningless value of a known key': [
    ['paths /farms/{chainId} get', 'x-heavy', 'yes', '….x-heavy: must be true or absent'],
    [ME, 'x-free', 'yes', '….x-free: must be true or absent'],
    [LIMIT, 'x-any-case', 'yes', '….x-any-case: must be true or absent'],
    [DOCUMENT, 'x-may-be-bare', true, '….x-may-be-bare: must name the field that only a bare answer has'],
    [LIST, 'x-freshness', '60s', '….x-freshness: must be a whole number of seconds'],
    [LIST, 'x-freshness', undefined, '….x-freshness: must be a whole number of seconds'],
    ['paths /pools/{chainId} get parameters 2 schema', 'default', 4, '….default: must be one of 2, 3'],
    [`${LIMIT} schema`, 'default', 20, '….default: only a parameter with an enum has one'],
    [`${SCHEMAS} Presale properties status`, 'x-open-enum', 'PENDING', '….x-open-enum: not a list'],
    [`${LIST} x-credits`, 'items', 'data.tokens', '….items: "data.tokens" is nothing that can be counted'],
    [`${BATCH} x-credits`, 'items', 'query.list', '….items: "query.list" is nothing that can be counted'],
    [POOL_TOKEN, '$ref', '#/components/schemas/No', 'components.schemas.Pool: there is no schema "No"'],
    [NAME, 'pattern', '^x$', NO_FORMAT],
    [NAME, 'format', 'decimal', NO_FORMAT],
    [USD, 'pattern', undefined, NO_FORMAT],
    [`${TOKEN} properties decimals`, 'format', 'decimal', NO_FORMAT],
    [USD, 'pattern', '^[0-9]$', 'components.schemas.TokenPrice: the format "decimal" has another pattern elsewhere'],
    [`${SCHEMAS} NftStats properties`, 'stats', { ...NULLABLE, properties: {} }, `….stats${NO_OBJECT}`],
    [`${SCHEMAS} Token properties`, 'x', { ...NULLABLE, additionalProperties: { type: 'string' } }, `….x${NO_OBJECT}`],
  ],
  'a field whose grade or description does not fit': [
    [NAME, 'x-evidence', undefined, NO_GRADE],
    [NAME, 'x-evidence', 'rumoured', NO_GRADE],
    [
      ETN_DATA,
      'x-evidence',
      undefined,
      NO_GRADE.replace('…', 'components.responses.EtnPriceResponse.schema.properties.data'),
    ],
    [`${SCHEMAS} EtnPrice`, 'required', ['usd'], '….properties.usd: assumed, so it cannot be required'],
    [`${SCHEMAS} Farm`, 'required', ['name'], '….properties.name: inferred, so it cannot be required'],
    [USD, 'type', 'string', '…: assumed, so it must be nullable'],
    [FARM_NAME, 'type', 'string', '…: inferred, so it must be nullable'],
    [TOKEN, 'required', ['address'], '….properties.name: observed, so it is required, or x-may-be-absent says why not'],
    [TOKEN, 'required', more('price'), '…: required field "price" is not described'],
  ],
  'an operation without a price, with a wrong one, or a price that its answer does not have': [
    [ETN, 'x-credits', undefined, '…: metered (not x-free), but without x-credits'],
    [ME, 'x-free', undefined, '…: metered (not x-free), but without x-credits'],
    [ACCOUNT, 'headers', COST_HEADER, 'paths./me.get: metered (not x-free), but without x-credits'],
    [
      ETN_ANSWER,
      'headers',
      undefined,
      'paths./prices/etn.get: has x-credits, but its answer carries no X-Credits-Cost',
    ],
    [ETN, 'x-credits', { perItem: 0 }, NO_COST],
    [ETN, 'x-credits', { base: 2.5, perItem: 0 }, NO_COST],
    [ETN, 'x-credits', { base: -25, perItem: 0 }, NO_COST],
    [ETN, 'x-credits', { base: 25, perItem: 0, items: 'data', maxItems: 5 }, NO_COST],
    [ETN, 'x-credits', { base: 25, perItem: 5, maxItems: 5 }, NO_COST],
    [ETN, 'x-credits', { base: 25, perItem: 5, items: 'data' }, NO_COST],
  ],
  'what contradicts itself': [
    ['', 'tags', withoutToken, `${inPrice}: the group "token" has no tag in the document's "tags"`],
    ['', 'tags', more({ name: 'coin', description: 'Coins' }), 'tags: no operation is in the group "coin"'],
    [LIST, 'operationId', 'coin.list', '….tags: must be [coin], the group of the operationId'],
    [LIST, 'operationId', 'token.price', '…: operationId "token.price" is already used by /prices/{chainId}/{address}'],
    [LIST, 'tags', ['pool'], TAGS],
    [LIST, 'tags', ['token', 'pool'], TAGS],
    [LIST, 'tags', undefined, TAGS],
    // A call could cost more than its estimate.
    [`${LIMIT} schema`, 'maximum', 200, `${inList}: the maximum of "limit" is 200, but x-credits.maxItems is 100`],
    [`${LIMIT} schema`, 'maximum', 50, `${inList}: the maximum of "limit" is 50, but x-credits.maxItems is 100`],
    [ADDRESSES, 'maxItems', 60, `${inBatch}: the maximum of "addresses" is 60, but x-credits.maxItems is 50`],
    [ADDRESSES, 'maxItems', undefined, '…: the generator does not know this form of parameter'],
    [PRICE, 'parameters', withoutLast, '….parameters: the path parameter "address" is not declared'],
    [LIST, 'parameters', parameter('address'), '….parameters: the path has no "{address}"'],
    [LIST, 'parameters', parameter('chainId'), '….parameters: "chainId" is declared twice'],
    [ADDRESS, 'required', undefined, `${inPrice}.parameters: the path parameter "address" must be required`],
  ],
}

test('the generator accepts the contract as it is, parsed and written again', () => {
  expect(errorAfter(() => {})).toBeUndefined()
})

describe.each(Object.entries(CHANGES))('the generator rejects %s:', (_, changes) => {
  test.each(changes)('%s %s: %j', (place, key, value, error) => {
    const found = errorAfter((document) => {
      const node = at(document, place)
      node[key] = typeof value === 'function' ? value(node[key]) : value
      if (node[key] === undefined) delete node[key]
    })
    expect(found).toBe(`ContractError: ${error.replace('…', place.replaceAll(' ', '.'))}`)
  })
})

test('the generator rejects an operation of a new group that has no tag', () => {
  const error = errorAfter((document) =>
    Object.assign(at(document, LIST), { operationId: 'coin.list', tags: ['coin'] }),
  )
  expect(error).toBe(`ContractError: paths./tokens/{chainId}.get: the group "coin" has no tag in the document's "tags"`)
})
