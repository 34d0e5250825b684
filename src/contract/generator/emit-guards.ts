import { capital, HEADER } from './emit-types.ts'
import type { Model } from './read-contract.ts'
import { type NamedShape, partsOf, type Shape } from './shape.ts'

/**
 * Plain checks of the answers: true or false, without a reason, in code that any content security policy allows.
 * A test compares their results with those of the schemas.
 */
export function emitGuards(model: Model): string {
  const shapes = model.shapes.filter(({ name }) => name !== 'ErrorEnvelope')
  return [
    HEADER,
    "import { every, type Guard, isArray, isBoolean, isInteger, isNull, isNumber, isObject, isString, isUnixSeconds, maybe, values } from '../operations/type-guards.ts'",
    "import type { OperationId } from './operations.ts'\n",
    ...Array.from(
      model.patterns,
      ([name, pattern]) => `const ${guardOf([name])}: Guard = (v) => isString(v) && ${new RegExp(pattern)}.test(v)`,
    ),
    ...unionsOf(shapes),
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
    case 'openEnum':
      return `isString(${value})`
    case 'primitive':
    case 'ref':
      return `${nameOf(shape)}(${value})`
    case 'nullable':
      return `(${wrap(test(shape.of, value))} || isNull(${value}))`
    case 'array':
      return `isArray(${value}) && every(${value}, ${guard(shape.items)})`
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

/** A field without firm evidence may be absent or null. */
function optional(shape: Shape, place: string): string {
  if (shape.kind !== 'nullable') return `(${place} === undefined || ${test(shape, place)})`
  const name = nameOf(shape.of)
  return name === undefined ? `(${place} == null || ${test(shape.of, place)})` : `maybe(${place}, ${name})`
}

/** The name of the guard of a shape, where there is one. */
function nameOf(shape: Shape): string | undefined {
  if (shape.kind === 'ref') return shape.name
  return shape.kind === 'primitive' ? guardOf(shape.types) : undefined
}

/** The guards of single types that have no pattern are written by hand, in `operations/type-guards.ts`. */
const guardOf = (types: readonly string[]) => `is${types.map(capital).join('Or')}`

/** The guards of values that may have one of several types. */
function unionsOf(shapes: readonly NamedShape[]): string[] {
  const types = shapes
    .flatMap(({ shape }) => partsOf(shape))
    .map((part) => (part.kind === 'primitive' ? part.types : []))
  const unions = new Map(types.filter(({ length }) => length > 1).map((union) => [guardOf(union), union]))
  return Array.from(unions, ([name, union]) => {
    const checks = union.map((type) => `${guardOf([type])}(v)`)
    return `const ${name}: Guard = (v) => ${checks.join(' || ')}`
  })
}

const guard = (shape: Shape) => nameOf(shape) ?? `(v) => ${test(shape, 'v')}`

function wrap(check: string): string {
  return / && /.test(check) && !check.startsWith('(') ? `(${check})` : check
}
