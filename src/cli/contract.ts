import { operations } from 'etn-market'
import { createFakeService } from 'etn-market/fake'

/** A schema of the contract. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly pattern?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  /** How well the field is known. */
  readonly 'x-evidence'?: string
  /** Why it may be absent although it was observed. */
  readonly 'x-may-be-absent'?: string
}

/** The OpenAPI document of this version, with its references resolved where they are looked up. */
export interface Contract {
  readonly document: unknown
  /** The schema of the answer, its envelope included. */
  answerOf(operation: string): Schema
  resolve(schema: Schema): Schema
}

/** The contract as the fake service answers it. */
export async function readContract(): Promise<Contract> {
  await using fake = createFakeService()
  const body = (await (await fake.fetch(`${fake.baseUrl}/openapi.json`)).json()) as { data?: unknown }
  const document = body.data ?? body
  const at = (path: readonly string[]): unknown =>
    path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], document)
  const resolve = (schema: Schema): Schema => {
    if (schema.$ref === undefined) return schema
    const { $ref, ...own } = schema
    return { ...resolve(at($ref.slice(2).split('/')) as Schema), ...own }
  }
  return {
    document,
    resolve,
    answerOf(operation) {
      const { path } = operations[operation as keyof typeof operations]
      const response = resolve(at(['paths', path, 'get', 'responses', '200']) as Schema) as unknown as {
        content: Record<string, { schema: Schema }>
      }
      return resolve(response.content['application/json']?.schema ?? {})
    },
  }
}
