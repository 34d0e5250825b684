import { ruleOf } from '../../operations/operation.ts'
import type { OperationModel, ParamModel, ParamType } from './operation.ts'
import type { Model } from './read-contract.ts'
import type { Field, Shape } from './shape.ts'

export const HEADER = '// Generated from src/contract/openapi.yaml by `npm run generate`. Do not edit.\n'

/** Texts, of whatever format, are not in it. */
const TYPES: Readonly<Record<string, string>> = {
  number: 'number',
  integer: 'number',
  unixSeconds: 'number',
  boolean: 'boolean',
  object: 'Record<string, unknown>',
  null: 'null',
}

export function emitTypes(model: Model): string {
  const answers = model.shapes
    .filter(({ name }) => name !== 'ErrorEnvelope')
    .map(({ name, description, shape }) => {
      const head = `/** ${description} Unknown fields are kept. */\n`
      if (shape.kind !== 'object') return `${head}export type ${name} = ${typeOf(shape)}\n`
      return `${head}export interface ${name} {\n${shape.fields.map(emitField).join('')}}\n`
    })
  return [HEADER, ...answers, emitMaps(model)].join('\n')
}

function emitField(field: Field): string {
  const doc = [field.description, `Evidence: ${field.evidence}.`].filter(Boolean).join(' ')
  return `  /** ${doc} */\n  ${fieldOf(field)}\n`
}

function fieldOf({ name, required, shape }: Field): string {
  return required ? `${name}: ${typeOf(shape)}` : `${name}?: ${typeOf(shape)} | undefined`
}

function emitParam({ name, description, required, type }: ParamModel): string {
  const rule = type.kind === 'chain' ? `Always ${type.id}` : capital(ruleOf(type))
  const hasDefault = type.kind === 'choice' && type.default !== undefined
  const left = hasDefault ? ` The service takes ${type.default} when it is left out.` : ''
  const isOptional = !required || type.kind === 'chain'
  const field = isOptional ? `${name}?: ${paramTypeOf(type)} | undefined` : `${name}: ${paramTypeOf(type)}`
  return `  /** ${description} ${rule}.${left} */\n  ${field}\n`
}

function emitMaps(model: Model): string {
  const rows = (value: (operation: OperationModel) => string) =>
    model.operations
      .map((operation) => `  /** ${operation.summary} */\n  '${operation.id}': ${value(operation)}\n`)
      .join('')
  return [
    `/** The parameters of each operation. They have no names of their own, so that declarations of a user need none. */\nexport interface OperationParams {\n${rows(paramsTypeOf)}}\n`,
    `/** The \`data\` of each operation's answer, as the service sends it. */\nexport interface OperationData {\n${rows((operation) => typeOf(operation.data))}}\n`,
  ].join('\n')
}

function paramsTypeOf({ params }: OperationModel): string {
  if (params.length === 0) return 'Record<string, never>'
  return `{\n${params.map((param) => emitParam(param).replace(/^/gm, '  ').trimEnd()).join('\n')}\n  }`
}

/** The operation as an identifier, for example `tokenPrice`. */
export function nameOf({ group, action }: OperationModel): string {
  return `${group}${capital(action)}`
}

export function typeOf(shape: Shape): string {
  switch (shape.kind) {
    case 'primitive':
      return [...new Set(shape.types.map((type) => TYPES[type] ?? 'string'))].join(' | ')
    case 'ref':
      return shape.name
    case 'nullable':
      return `${typeOf(shape.of)} | null`
    case 'array':
      return `${typeOf(shape.items)}[]`
    case 'record':
      return `Record<string, ${typeOf(shape.values)}>`
    case 'openEnum':
      return [...shape.values.map((value) => `'${value}'`), '(string & {})'].join(' | ')
    case 'object':
      return `{ ${shape.fields.map(fieldOf).join('; ')} }`
  }
}

function paramTypeOf(type: ParamType): string {
  switch (type.kind) {
    case 'chain':
      return String(type.id)
    case 'address':
      return 'string'
    case 'addresses':
      return 'readonly string[]'
    case 'limit':
      return 'number'
    case 'choice': {
      const variants = type.anyCase ? type.values.flatMap((value) => [value, String(value).toLowerCase()]) : type.values
      return variants.map((value) => (typeof value === 'string' ? `'${value}'` : String(value))).join(' | ')
    }
  }
}

export function lowerFirst(sentence: string): string {
  return /^[A-Z][a-z]/.test(sentence) ? sentence.charAt(0).toLowerCase() + sentence.slice(1) : sentence
}

export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
