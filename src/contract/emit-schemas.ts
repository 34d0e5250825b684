import { HEADER } from './emit-types.ts'
import { type Model, refsOf } from './model.ts'
import type { NamedShape, Primitive, Shape } from './shape.ts'

const ZOD_PRIMITIVES: Record<Primitive, string> = {
  string: 'z.string()',
  number: 'z.number()',
  integer: 'z.int()',
  boolean: 'z.boolean()',
  object: 'z.looseObject({})',
  null: 'z.null()',
}

/** The zod/mini checks of the answers (loose: unknown fields are kept). They load when a guard says no, to tell why. */
export function emitSchemas(model: Model): string {
  const shapes = inOrder(model.shapes.filter(({ name }) => name !== 'ErrorEnvelope'))
  return [
    HEADER,
    "import * as z from 'zod/mini'\n",
    ...shapes.map(({ name, shape }) => `const ${name} = ${checkOf(shape)}`),
    `/** Checks the whole answer of each operation, envelope included. */\nexport const answerSchemas = {\n${model.operations.map((operation) => `  '${operation.id}': ${checkOf(operation.envelope)},\n`).join('')}}\n`,
  ].join('\n')
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
