import Ajv from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { document } from '../../src/generated/document.ts'

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly examples?: readonly unknown[]
  readonly properties?: Record<string, Schema>
}

const { components, paths } = document as {
  components: Record<string, Record<string, Schema>>
  paths: Record<string, { get: { responses: Record<string, unknown> } }>
}

/** The fields of one value below a schema, as `Schema.field`. */
function fieldsOf(name: string, schema: Schema): [string, Schema][] {
  return Object.entries(schema.properties ?? {}).flatMap(([field, inner]): [string, Schema][] =>
    inner.properties ? fieldsOf(`${name}.${field}`, inner) : [[`${name}.${field}`, inner]],
  )
}

const isComposed = ({ type = 'object' }: Schema) => type === 'object' || [type].flat().includes('array')

test('no two components share a name, of which some generators make one type', () => {
  const names = Object.values(components).flatMap(Object.keys)
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])
})

test('each field has an example, which its schema accepts', () => {
  const ajv = new Ajv({ strict: false, validateFormats: false })
  const fields = Object.entries(components.schemas ?? {}).flatMap(([name, schema]) => fieldsOf(name, schema))
  const values = fields.filter(([, schema]) => !isComposed(schema))
  expect(values.length).toBeGreaterThan(120)
  const wrong = values.filter(
    ([, schema]) => !schema.examples?.length || !schema.examples.every((example) => ajv.validate(schema, example)),
  )
  expect(wrong.map(([name]) => name)).toEqual([])
})

test('every operation describes what any other status is, for generators that know no ranges', () => {
  const without = Object.entries(paths).filter(([, { get }]) => !('default' in get.responses && '5XX' in get.responses))
  expect(without).toEqual([])
})
