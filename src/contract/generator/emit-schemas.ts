import { MAX_UNIX_SECONDS } from '../../operations/type-guards.ts'
import { HEADER, lowerFirst, nameOf } from './emit-types.ts'
import type { OperationModel, ParamModel } from './operation.ts'
import type { Model } from './read-contract.ts'
import { type NamedShape, refsOf, type Shape } from './shape.ts'

/** Bundlers leave out an unused call with this mark, so that one operation's schemas do not bring all others. */
const PURE = '/* @__PURE__ */'

const OPERATION_SCHEMAS = `
/** The zod/mini schemas of one operation. */
export interface OperationSchemas<Id extends OperationId> {
  /** The parameters, with the rules that a call checks before it sends anything. Rejects unknown parameters. */
  readonly params: z.ZodMiniType<OperationParams[Id]>
  /** The \`data\` of the answer. Keeps unknown fields. */
  readonly data: z.ZodMiniType<OperationData[Id]>
}
`

/** Of the types that have no schema of their own name. */
const ZOD_PRIMITIVES: Readonly<Record<string, string>> = {
  string: call('z.string'),
  number: call('z.number'),
  integer: call('z.int'),
  boolean: call('z.boolean'),
  object: call('z.looseObject', '{}'),
  null: call('z.null'),
}

const primitiveOf = (type: string) => ZOD_PRIMITIVES[type] ?? type

export function emitDataSchemas(model: Model): string {
  return [
    HEADER,
    "import * as z from 'zod/mini'\n",
    `const unixSeconds = ${PURE} z.int().check(${PURE} z.minimum(-${MAX_UNIX_SECONDS}), ${PURE} z.maximum(${MAX_UNIX_SECONDS}))`,
    ...Array.from(
      model.patterns,
      ([name, pattern]) =>
        `const ${name} = ${PURE} z.string().check(${PURE} z.regex(${new RegExp(pattern)}, 'expected a text of the format ${name}'))`,
    ),
    ...inOrder(model.shapes.filter(({ name }) => name !== 'ErrorEnvelope')).map(
      ({ name, shape }) => `export const ${name} = ${schemaOf(shape)}`,
    ),
    '',
  ].join('\n')
}

/** `etn-market/schemas`: zod/mini schemas of the parameters and the data of each operation. */
export function emitSchemas(model: Model): string {
  const forms = [...new Set(model.operations.flatMap(({ params }) => params.map(formOf)))]
  return [
    HEADER,
    "import * as z from 'zod/mini'",
    `import { ${[...forms, 'params'].sort().join(', ')} } from '../operations/param-schemas.ts'`,
    importOfData(model.operations.map(({ data }) => data)),
    "import type { OperationId } from './operations.ts'",
    "import type { OperationData, OperationParams } from './types.ts'",
    OPERATION_SCHEMAS,
    ...model.operations.map(
      (operation) =>
        `/** The schemas of \`${operation.id}\`: ${lowerFirst(operation.summary)} */\n` +
        `export const ${nameOf(operation)}: OperationSchemas<'${operation.id}'> = {\n` +
        `  params: ${paramsOf(operation)},\n  data: ${schemaOf(operation.data)},\n}\n`,
    ),
    '/** The schemas of every operation, by its id. Import one by its own name where the size of a bundle matters. */',
    'export const schemas: { readonly [Id in OperationId]: OperationSchemas<Id> } = {',
    ...model.operations.map((operation) => `  '${operation.id}': ${nameOf(operation)},`),
    '}\n',
  ].join('\n')
}

/**
 * The schemas of the whole answers. They load when a guard rejects an answer, to find the reason, without those of parameters and what
 * these import: a page's bundle would be split at what both parts need.
 */
export function emitAnswerSchemas(model: Model): string {
  const rows = model.operations.map((operation) => `  '${operation.id}': ${schemaOf(operation.envelope)},\n`)
  return [
    HEADER,
    "import * as z from 'zod/mini'",
    importOfData(model.operations.map(({ envelope }) => envelope)),
    '\n/** Checks the whole answer of each operation, envelope included. */',
    `export const answerSchemas = {\n${rows.join('')}}\n`,
  ].join('\n')
}

function importOfData(shapes: readonly Shape[]): string {
  const names = [...new Set(shapes.flatMap(refsOf))].sort()
  return `import { ${names.join(', ')} } from './data-schemas.ts'`
}

function paramsOf({ params }: OperationModel): string {
  const fields = params.map((param) => {
    const optional = !param.required || param.type.kind === 'chain'
    return `${param.name}: ${optional ? call('z.optional', paramOf(param)) : paramOf(param)}`
  })
  return call('params', fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`)
}

/** The function in `operations/param-schemas.ts` that makes the schema of a parameter. */
function formOf({ type }: ParamModel): string {
  return type.kind === 'choice' && type.anyCase ? 'choiceInAnyCase' : type.kind
}

function paramOf(param: ParamModel): string {
  const { type } = param
  const form = formOf(param)
  if (type.kind === 'chain') return call(form, String(type.id))
  if (type.kind === 'limit') return call(form, String(type.max))
  return type.kind === 'choice' ? call(form, JSON.stringify(type.values)) : call(form)
}

function schemaOf(shape: Shape): string {
  switch (shape.kind) {
    case 'primitive': {
      const [only = '', ...others] = shape.types.map(primitiveOf)
      return others.length === 0 ? only : call('z.union', `[${[only, ...others].join(', ')}]`)
    }
    case 'ref':
      return shape.name
    case 'nullable':
      return call('z.nullable', schemaOf(shape.of))
    case 'array':
      return call('z.array', schemaOf(shape.items))
    case 'record':
      return call('z.record', `${call('z.string')}, ${schemaOf(shape.values)}`)
    case 'openEnum':
      return call('z.string')
    case 'object': {
      const fields = shape.fields.map(({ name, shape, required }) => {
        const schema = schemaOf(shape)
        return `${name}: ${required ? schema : call('z.optional', schema)}`
      })
      return call('z.looseObject', `{ ${fields.join(', ')} }`)
    }
  }
}

function call(name: string, argument = ''): string {
  return `${PURE} ${name}(${argument})`
}

/** Every shape after those that it refers to. */
function inOrder(shapes: readonly NamedShape[]): NamedShape[] {
  const byName = new Map(shapes.map((shape) => [shape.name, shape]))
  const done = new Set<NamedShape>()
  const visit = (named: NamedShape) => {
    if (done.has(named)) return
    for (const name of refsOf(named.shape)) {
      const target = byName.get(name)
      if (target !== undefined && target !== named) visit(target)
    }
    done.add(named)
  }
  shapes.forEach(visit)
  return [...done]
}
