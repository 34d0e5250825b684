import type { NamedShape, Shape } from './shape.ts'

/** The contract as the emitters read it. */
export interface Model {
  document: Record<string, unknown>
  groups: Groups
  shapes: readonly NamedShape[]
  operations: readonly OperationModel[]
}

/** The description of each group, by its tag. */
export type Groups = ReadonlyMap<string, string>

export interface OperationModel {
  id: string
  group: string
  action: string
  tags: readonly string[]
  path: string
  summary: string
  description: string
  credits: Credits | null
  heavy: boolean
  /** For how long an answer is shown before it is bought again; 0 for never. */
  freshSeconds: number
  needsKey: boolean
  /** The field that only a bare answer has, where the service may send the data without its envelope. */
  bareField: string | null
  params: readonly ParamModel[]
  envelope: Shape
  data: Shape
}

export interface Credits {
  base: number
  perItem: number
  items: string | null
  maxItems: number
}

export interface ParamModel {
  name: string
  in: 'path' | 'query'
  required: boolean
  description: string
  type: ParamType
}

export type ParamType =
  | { kind: 'chain'; id: number }
  | { kind: 'address' }
  | { kind: 'addresses'; max: number }
  | { kind: 'limit'; max: number }
  | { kind: 'choice'; values: readonly Choice[]; default: Choice | undefined; anyCase: boolean }

export type Choice = string | number

/** The names of the shapes that a shape refers to. */
export function refsOf(shape: Shape): string[] {
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
