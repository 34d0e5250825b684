import { HEADER } from './emit-types.ts'
import type { Model, OperationModel, ParamType } from './model.ts'
import type { NamedShape, Primitive, Shape } from './shape.ts'

const ZOD_PRIMITIVES: Record<Primitive, string> = {
  string: 'z.string()',
  number: 'z.number()',
  integer: 'z.int()',
  boolean: 'z.boolean()',
  object: 'z.looseObject({})',
  null: 'z.null()',
}

/** The zod/mini checks of parameters (strict: a misspelt one would be paid for) and of answers (loose: unknown fields are kept). */
export function emitSchemas(model: Model): string {
  const shapes = inOrder(model.shapes.filter(({ name }) => name !== 'ErrorEnvelope'))
  return [
    HEADER,
    "import * as z from 'zod/mini'\n",
    `const address = z.string().check(z.regex(/${addressPattern(model)}/))\n`,
    ...shapes.map(({ name, shape }) => `const ${name} = ${checkOf(shape)}`),
    `\n/** Checks the parameters of each operation. */\nexport const paramSchemas = {\n${rows(model, paramsCheck)}}\n`,
    `/** Checks the whole answer of each operation, envelope included. */\nexport const answerSchemas = {\n${rows(model, (operation) => checkOf(operation.envelope))}}\n`,
  ].join('\n')
}

function rows(model: Model, value: (operation: OperationModel) => string): string {
  return model.operations.map((operation) => `  '${operation.id}': ${value(operation)},\n`).join('')
}

function paramsCheck(operation: OperationModel): string {
  const fields = operation.params.map(({ name, required, type }) => {
    const check = paramCheckOf(type)
    return `${name}: ${required && type.kind !== 'chain' ? check : `z.optional(${check})`}`
  })
  return `z.strictObject({ ${fields.join(', ')} })`
}

function paramCheckOf(type: ParamType): string {
  switch (type.kind) {
    case 'chain':
      return `z.literal(${type.id})`
    case 'address':
      return 'address'
    case 'addresses':
      return 'z.array(address).check(z.minLength(1))'
    case 'limit':
      return `z.int().check(z.gte(1), z.lte(${type.max}))`
    case 'choice':
      if (type.anyCase) return `z.string().check(z.regex(/^(?:${type.values.join('|')})$/i))`
      return `z.literal([${type.values.map((value) => JSON.stringify(value)).join(', ')}])`
  }
}

function checkOf(shape: Shape): string {
  switch (shape.kind) {
    case 'primitive': {
      const options = shape.types.filter((type) => type !== 'null').map((type) => ZOD_PRIMITIVES[type])
      const check = options.length > 1 ? `z.union([${options.join(', ')}])` : (options[0] ?? ZOD_PRIMITIVES.null)
      return orNull(check, options.length > 0 && shape.types.includes('null'))
    }
    case 'ref':
      return orNull(shape.name, shape.nullable)
    case 'array':
      return orNull(`z.array(${checkOf(shape.items)})`, shape.nullable)
    case 'record':
      return `z.record(z.string(), ${checkOf(shape.values)})`
    case 'openEnum':
      return orNull('z.string()', shape.nullable)
    case 'object': {
      const fields = shape.fields.map((field) => {
        const check = checkOf(field.shape)
        return `${field.name}: ${field.required ? check : `z.optional(${check})`}`
      })
      return `z.looseObject({ ${fields.join(', ')} })`
    }
  }
}

function orNull(check: string, nullable: boolean): string {
  return nullable ? `z.nullable(${check})` : check
}

/** A shape comes after those that it refers to. */
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

function refsOf(shape: Shape): string[] {
  switch (shape.kind) {
    case 'ref':
      return [shape.name]
    case 'array':
      return refsOf(shape.items)
    case 'record':
      return refsOf(shape.values)
    case 'object':
      return shape.fields.flatMap((field) => refsOf(field.shape))
    default:
      return []
  }
}

function addressPattern(model: Model): string {
  const components = model.document.components as { schemas: { Address: { pattern: string } } }
  return components.schemas.Address.pattern
}
