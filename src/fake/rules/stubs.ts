import { document } from '../../generated/document.ts'
import { once } from '../../utils/once.ts'
import { checkOptions, checkValue, FakeUsageError, findMismatch } from './check.ts'
import type { AdmittedCall, QueryResult } from './execute.ts'
import { Rejection } from './reply.ts'
import { type FakeOperation, fakeRoutes, type ListOperation } from './routes.ts'
import * as is from './schema.ts'

/** The data of an operation, as a stub receives it. */
export type StubData<Operation extends FakeOperation> = Operation extends ListOperation
  ? Record<string, unknown>[]
  : Record<string, unknown>

/** A call as a stub receives it. */
export interface StubCall<Operation extends FakeOperation = FakeOperation> {
  /** The operation that was called. */
  operation: Operation
  /** The parameters of the route, with the fake's defaults. */
  params: Record<string, unknown>
  /** The data without the stub; `undefined` at run time if there is none. */
  data: StubData<Operation>
  /** The key of the request. */
  key: string | undefined
}

/** Returns the `data` of an answer; `undefined` answers 404. */
export type StubAnswer<Operation extends FakeOperation = FakeOperation> = (call: StubCall<Operation>) => unknown

/** Options of `fake.stub`. */
export interface StubOptions {
  /** Whether the answer must match the contract. @default true */
  validate?: boolean | undefined
}

type Stub = Required<StubOptions> & { operation: FakeOperation; answer: StubAnswer }

export class Stubs {
  /** Replaced and never changed, so that snapshots share it. */
  state: readonly Stub[] = []

  add<Operation extends FakeOperation>(
    operation: Operation,
    answer: StubAnswer<Operation>,
    options: StubOptions = {},
  ): () => boolean {
    checkValue('operation', is.operation, operation)
    if (typeof answer !== 'function') throw new FakeUsageError('A stub is a function that returns the data.')
    checkOptions('stub', is.object({ validate: is.flag }), options)
    const stub: Stub = { operation, answer: answer as StubAnswer, validate: options.validate ?? true }
    this.state = [stub, ...this.state]
    return () => {
      const isThere = this.state.includes(stub)
      this.state = this.state.filter((one) => one !== stub)
      return isThere
    }
  }

  /** The result of the newest stub of the operation, if there is one. `find` looks up the data without the stub. */
  answer(call: AdmittedCall, find: () => QueryResult | undefined): Promise<QueryResult | undefined> | undefined {
    const stub = this.state.find(({ operation }) => operation === call.match.operation)
    return stub && runStub(stub, call, find)
  }
}

async function runStub(
  { operation, answer, validate }: Stub,
  call: AdmittedCall,
  find: () => QueryResult | undefined,
): Promise<QueryResult | undefined> {
  let found: QueryResult | undefined
  // Only a stub that reads the data waits for it: a page of trades takes 3 ms.
  const data = once(() => {
    try {
      found = find()
    } catch (error) {
      if (!(error instanceof Rejection)) throw error
    }
    return (found && JSON.parse(JSON.stringify(found.data))) as StubData<FakeOperation>
  })
  const made = await answer({
    operation,
    params: paramsOf(call),
    key: call.key,
    get data() {
      return data()
    },
  })
  if (made === undefined) return undefined
  const copy: unknown = JSON.parse(JSON.stringify(made))
  if (validate) checkData(operation, copy)
  return { data: copy, cursor: found?.cursor }
}

function paramsOf({ match, parsed }: AdmittedCall): Record<string, unknown> {
  const route = fakeRoutes[match.operation]
  const params: Record<string, unknown> = {}
  if ('address' in match.path) params.address = parsed.address
  if ('pool' in match.path) params.pool = parsed.address
  for (const name of route.query ?? []) if (parsed[name] !== undefined) params[name] = parsed[name]
  if (route.maxLimit !== undefined) params.limit = parsed.limit
  return params
}

/** Throws at a mismatch with the OpenAPI document: with the schemas of the client, a wrong one would not show. */
export function checkData(operation: FakeOperation, data: unknown): void {
  const { $ref } = at(document, 'paths', fakeRoutes[operation].path, 'get', 'responses', '200') as { $ref: string }
  const schema = at(resolve($ref), 'content', 'application/json', 'schema') as is.Schema
  const mismatch = findMismatch('', schema, { data, cursor: null }, { resolve })
  if (mismatch) throw new FakeUsageError(`The stub of ${operation} does not match the contract: ${mismatch}`)
}

const resolve = (reference: string) => at(document, ...reference.slice(2).split('/')) as is.Schema

function at(node: unknown, ...names: string[]): unknown {
  return names.reduce((found, name) => (found as Record<string, unknown>)[name], node)
}
