import { readFileSync } from 'node:fs'
import type { ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { fakeOperations, fakeRoutes, fakeTokens, fakeWallets } from '../../src/fake/index.ts'
import { type Answer, examplePaths, NOON, play } from './setup.ts'

const contract = parse(readFileSync(new URL('../../src/contract/openapi.yaml', import.meta.url), 'utf8'))

/** The contract with every field required and no other allowed: what the fake itself promises, guesses included. */
function strictly(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(strictly)
  if (typeof node !== 'object' || node === null) return node
  const copy = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, strictly(value)]))
  if (typeof copy.properties !== 'object' || 'additionalProperties' in copy) return copy
  const always = Object.entries(copy.properties as Record<string, object>).filter(
    ([name, one]) => name === 'cursor' || !('x-may-be-absent' in one),
  )
  return { ...copy, additionalProperties: false, required: always.map(([name]) => name) }
}

// An off-the-shelf validator, in the 2020-12 dialect that OpenAPI 3.1 uses: nothing of ours in between.
const strictContract = strictly(contract) as typeof contract
strictContract.components.schemas.OpenApiDocument = contract.components.schemas.OpenApiDocument
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addFormat('address', /^0x[0-9a-fA-F]{40}$/)
ajv.addFormat('decimal', /^\d+(\.\d+)?$/)
// Their patterns stand beside them.
for (const name of ['hex-number', 'whole-number']) ajv.addFormat(name, true)
ajv.addSchema(contract, 'contract')
ajv.addSchema(strictContract, 'strict')

const pointer = (document: string, ...parts: string[]) =>
  `${document}#/${parts.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`

/** Compiled schemas by their text: compiling costs more than the checks of many answers. */
const compiled = new Map<string, ValidateFunction>()

function complaints(schema: object, value: unknown): unknown[] {
  const text = JSON.stringify(schema)
  const validate = compiled.get(text) ?? ajv.compile(schema)
  compiled.set(text, validate)
  return validate(value) ? [] : (validate.errors ?? [])
}

/** Follows a reference inside the contract. */
function resolve(node: { $ref?: string }): { node: Record<string, unknown>; path: string[] } | undefined {
  const path = node.$ref?.slice(2).split('/')
  return path && { node: path.reduce((found, part) => found[part], contract), path }
}

function responseSchema(path: string, status: string, document: 'contract' | 'strict' = 'contract'): object {
  const found = resolve(contract.paths[path].get.responses[status] ?? {})
  if (!found) throw new Error(`The contract has no ${status} for ${path}.`)
  return { $ref: pointer(document, ...found.path, 'content', 'application/json', 'schema') }
}

function checkHeaders(path: string, status: string, { headers }: Answer): void {
  const found = resolve(contract.paths[path].get.responses[status])
  for (const [name, header] of Object.entries((found?.node.headers ?? {}) as Record<string, { $ref?: string }>)) {
    const spec = resolve(header)?.node as { required?: boolean; schema: { type: string } }
    const value = headers.get(name)
    if (spec.required) expect(value, name).not.toBeNull()
    if (value !== null)
      expect(complaints(spec.schema, spec.schema.type === 'integer' ? Number(value) : value)).toEqual([])
  }
}

describe('answers', () => {
  // Stretches of time in which presales, locks and candles of all kinds come by.
  const moments = [NOON, NOON + 30 * 86_400_000, Date.UTC(2031, 1, 28, 23, 59, 59), Date.UTC(2026, 11, 31), 0]

  const pathsAt = new Map<number, ReturnType<typeof examplePaths>>()

  it.each(fakeOperations)('have all fields of the contract and no others: %s', async (operation) => {
    const { path } = fakeRoutes[operation]
    let now = 0
    const { fake, get } = play({ clock: { now: () => now } })
    for (const moment of moments) {
      now = moment
      const paths = pathsAt.get(moment) ?? examplePaths(fake)
      pathsAt.set(moment, paths)
      for (const one of variants(operation, (await paths)[operation])) {
        const answer = await get(one)
        expect(answer.status, one).toBe(200)
        expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
        expect(fake.journal().at(-1)).toMatchObject({ operation, method: 'GET', status: 200 })
        expect(complaints(responseSchema(path, '200', 'strict'), answer.body), one).toEqual([])
        checkHeaders(path, '200', answer)
      }
    }
  })

  it('match the contract for every token, priced or not', async () => {
    const { get } = play()
    const { data } = (await get('/tokens/52014?limit=100')).body
    for (const { address } of data) {
      for (const [route, path] of [
        ['/prices/{chainId}/{address}', `/prices/52014/${address}`],
        ['/tokens/{chainId}/{address}', `/tokens/52014/${address}`],
        ['/tokens/{chainId}/{address}/liquidity-locks', `/tokens/52014/${address}/liquidity-locks`],
        ['/tokens/{chainId}/{address}/history', `/tokens/52014/${address}/history?duration=HOUR`],
      ] as const) {
        expect(complaints(responseSchema(route, '200'), (await get(path)).body), path).toEqual([])
      }
    }
  })

  it.each([
    ['400', '/tokens/{chainId}', '/tokens/52014?limit=0', {}],
    ['401', '/prices/etn', '/prices/etn', { authorization: 'Bearer nobody' }],
    ['402', '/farms/{chainId}', '/farms/52014', { authorization: 'Bearer poor' }],
    ['404', '/tokens/{chainId}/{address}', `/tokens/52014/${fakeWallets.empty}`, undefined],
    ['429', '/prices/etn', '/prices/etn', undefined],
    ['503', '/farms/{chainId}', '/farms/52014', undefined],
    ['5XX', '/prices/etn', '/prices/etn', undefined],
  ])('match the contract with an error of status %s', async (status, route, path, headers) => {
    const { fake, get } = play({ keys: { k: 1_000_000, poor: 0 }, heavyConcurrency: status === '503' ? 0 : 2 })
    if (status === '429') fake.fault({ status: 429, retryAfter: '3' })
    if (status === '5XX') fake.fault({ status: 500 })
    const answer = await get(path, headers && { headers })
    expect(String(answer.status)).toMatch(new RegExp(status.replace('XX', '..')))
    expect(complaints(responseSchema(route, status), answer.body)).toEqual([])
    checkHeaders(route, status, answer)
  })

  it('the validator reports a mismatch', async () => {
    const { get } = play()
    const { body } = await get('/tokens/52014?limit=1')
    body.data[0].decimals = '18'
    expect(complaints(responseSchema('/tokens/{chainId}', '200'), body)).toHaveLength(1)
  })
})

function variants(operation: string, path: string): string[] {
  const route = fakeRoutes[operation as keyof typeof fakeRoutes]
  const all = route.maxLimit === undefined ? [path] : [path, `${path}?limit=${route.maxLimit}`]
  if (operation === 'pool.list') return [...all, `${path}?limit=100&version=3`]
  if (operation === 'token.candles')
    return [...all, ...['1m', '15m', '4h', '1d'].map((bucket) => `${path}?bucket=${bucket}&currency=ETN`)]
  if (operation === 'token.history')
    // A year in USD is computed from each quarter of an hour.
    return ['HOUR', 'WEEK', 'MONTH', 'YEAR&currency=ETN'].map((duration) => `${path}?duration=${duration}`)
  if (operation === 'balances.get')
    return [`/balances/52014/${fakeWallets.whale}?limit=200`, ...all, `/balances/52014/${fakeWallets.empty}`]
  if (operation === 'prices.batch') return [path, `/prices/52014?addresses=${Object.values(fakeTokens)}`]
  return all
}
