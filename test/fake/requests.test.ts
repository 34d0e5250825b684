import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { fakeOperations, fakeRoutes } from '../../src/fake/index.ts'
import { BOLT, examplePaths, play } from './setup.ts'

const contract = parse(readFileSync(new URL('../../src/contract/openapi.yaml', import.meta.url), 'utf8'))
const ajv = new Ajv2020({ strict: false, coerceTypes: 'array', formats: { address: true } })
ajv.addSchema(contract, 'contract')

interface Parameter {
  name: string
  in: string
  schema: Record<string, unknown>
}

const parametersOf = (path: string): Parameter[] =>
  (contract.paths[path].get.parameters ?? []).map((one: { $ref?: string }) =>
    one.$ref
      ? one.$ref
          .slice(2)
          .split('/')
          .reduce((found, part) => found[part], contract)
      : one,
  )

/** Values on both sides of every border that a schema draws. */
const CANDIDATES: Record<string, string[]> = {
  limit: ['1', '2', '25', '26', '50', '51', '100', '101', '200', '201', '500', '501', '0', '-1', '1.5', 'x'],
  bucket: ['1m', '15m', '1h', '4h', '1d', '5m', '1M', 'x', ''],
  currency: ['USD', 'ETN', 'EUR', 'BTC'],
  duration: ['HOUR', 'DAY', 'WEEK', 'MONTH', 'YEAR', 'MINUTE', 'DECADE', ''],
  version: ['2', '3', '1', '4', 'x', ''],
  token: [BOLT, BOLT.toLowerCase(), '0x12', 'BOLT'],
  chainId: ['52014', '1', '52015', 'mainnet'],
}

/** Whether the contract accepts a value of a parameter. */
function createCheck({ name, schema }: Parameter): (value: string) => boolean {
  const rebased = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"contract#/'))
  const validate = ajv.compile({ type: 'object', properties: { [name]: rebased } })
  return (value) => validate({ [name]: value })
}

describe('the fake accepts what the contract accepts, and rejects the rest', () => {
  it.each(fakeOperations)('%s', async (operation) => {
    const { fake, get } = play()
    const { path: route } = fakeRoutes[operation]
    const example = (await examplePaths(fake))[operation] ?? ''
    for (const parameter of parametersOf(route)) {
      const accepts = createCheck(parameter)
      for (const value of CANDIDATES[parameter.name] ?? []) {
        const query = `${example}${example.includes('?') ? '&' : '?'}${parameter.name}=${value}`
        const path = parameter.in === 'path' ? example.replace('52014', value) : query
        const { status, body } = await get(path)
        const code = parameter.name === 'limit' ? 'invalid_limit' : 'invalid_request'
        expect([path, status, body.error?.code]).toEqual(accepts(value) ? [path, 200, undefined] : [path, 400, code])
      }
    }
  })

  it('prices.batch: 1 to 50 addresses', async () => {
    const { get } = play()
    const [, addresses] = parametersOf('/prices/{chainId}')
    expect(addresses?.schema).toMatchObject({ minItems: 1, maxItems: 50 })
    for (const count of [1, 2, 49, 50, 51]) {
      const { status } = await get(`/prices/52014?addresses=${Array(count).fill(BOLT)}`)
      expect(status).toBe(count <= 50 ? 200 : 400)
    }
  })
})
