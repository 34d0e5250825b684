import { capital, HEADER } from './emit-types.ts'
import type { Model } from './read-contract.ts'
import { type CheckedType, checkedTypes, type NamedShape, type Shape } from './shape.ts'

/**
 * Plain checks of the answers: true or false, without a reason, in code that any content security policy allows.
 * A test compares their results with those of the schemas.
 */
export function emitGuards(model: Model): string {
  const shapes = model.shapes.filter(({ name }) => name !== 'ErrorEnvelope')
  return [
    HEADER,
    "import { every, type Guard, isArray, isBoolean, isInteger, isNull, isNumber, isObject, isString, isUnixSeconds, values } from '../operations/type-guards.ts'",
    "import type { OperationId } from './operations.ts'\n",
    ...Array.from(
      model.patterns,
      ([name, pattern]) => `const ${guardOf(name)}: Guard = (v) => isString(v) && ${new RegExp(pattern)}.test(v)`,
    ),
    ...looseTypes(shapes).map(
      (types) => `const ${looseName(types)}: Guard = (v) => v == null || ${primitive(types, 'v')}`,
    ),
    ...shapes.map(({ name, shape }) => `export const ${name}: Guard = (v) => ${test(shape, 'v')}`),
    '\n/** Whether the whole answer of each operation, envelope included, matches the contract. */',
    `export const answerGuards: Record<OperationId, Guard> = {\n${model.operations
      .map((operation) => `  '${operation.id}': (v) => ${test(operation.envelope, 'v')},\n`)
      .join('')}}\n`,
  ].join('\n')
}

/** An expression that is true when `value` has the shape. */
function test(shape: Shape, value: string): string {
  switch (shape.kind) {
    case 'primitive':
      return primitive(checkedTypes(shape), value)
    case 'openEnum':
      return orNull(`isString(${value})`, value, shape.nullable)
    case 'ref':
      return orNull(`${shape.name}(${value})`, value, shape.nullable)
    case 'array':
      return orNull(`isArray(${value}) && every(${value}, ${guard(shape.items)})`, value, shape.nullable)
    case 'record':
      return `isObject(${value}) && every(values(${value}), ${guard(shape.values)})`
    case 'object': {
      const fields = shape.fields.map((field) => {
        const place = `${value}.${field.name}`
        return field.required ? wrap(test(field.shape, place)) : optional(field.shape, place)
      })
      return [`isObject(${value})`, ...fields].join(' && ')
    }
  }
}

/** `== null` is true for absent and for null: a field without firm evidence may be either. */
function optional(shape: Shape, place: string): string {
  const types = looseTypesOf(shape)
  if (types !== undefined) return types.length === 0 ? `${place} == null` : `${looseName(types)}(${place})`
  if ('nullable' in shape && shape.nullable)
    return `(${place} == null || ${test({ ...shape, nullable: false }, place)})`
  return `(${place} === undefined || ${test(shape, place)})`
}

/** The types, null aside, of a value that may be null. */
function looseTypesOf(shape: Shape): CheckedType[] | undefined {
  if (shape.kind !== 'primitive' || !shape.types.includes('null')) return undefined
  return checkedTypes(shape).filter((type) => type !== 'null')
}

/** The types of all optional, nullable fields, each set of types once. */
function looseTypes(shapes: readonly NamedShape[]): CheckedType[][] {
  const found = new Map<string, CheckedType[]>()
  for (const { shape } of shapes) {
    if (shape.kind !== 'object') continue
    for (const field of shape.fields) {
      const types = field.required ? undefined : looseTypesOf(field.shape)
      if (types !== undefined) found.set(looseName(types), types)
    }
  }
  return [...found.values()]
}

const looseName = (types: readonly CheckedType[]) => `maybe${types.map(capital).join('Or')}`

/** The guards of types that have no pattern are written by hand, in `operations/type-guards.ts`. */
const guardOf = (type: CheckedType) => `is${capital(type)}`

const primitive = (types: readonly CheckedType[], value: string) =>
  anyOf(types.map((type) => `${guardOf(type)}(${value})`))

function guard(shape: Shape): string {
  return shape.kind === 'ref' && !shape.nullable ? shape.name : `(v) => ${test(shape, 'v')}`
}

function orNull(check: string, value: string, nullable: boolean): string {
  return nullable ? anyOf([wrap(check), `isNull(${value})`]) : check
}

function anyOf(checks: readonly string[]): string {
  return checks.length === 1 ? String(checks[0]) : `(${checks.join(' || ')})`
}

function wrap(check: string): string {
  return / && /.test(check) && !check.startsWith('(') ? `(${check})` : check
}
