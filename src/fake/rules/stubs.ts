import { asOneOf, checkNames, FakeUsageError } from './check-options.ts'
import { type AdmittedCall, countItems, type QueryResult } from './execute.ts'
import { once } from './once.ts'
import { type FakeOperation, fakeOperations, fakeRoutes, type ListOperation } from './routes.ts'
import { findMismatch } from './schema.ts'

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
  validate?: boolean
}

interface Stub {
  operation: FakeOperation
  answer: StubAnswer
  validate: boolean
}

/** The stubs of one session. */
export class Stubs {
  /** Replaced and never changed, so that saved states share it. */
  #stubs: readonly Stub[] = []

  add<Operation extends FakeOperation>(
    operation: Operation,
    answer: StubAnswer<Operation>,
    options: StubOptions = {},
  ): () => void {
    asOneOf('operation', operation, fakeOperations)
    if (typeof answer !== 'function') throw new FakeUsageError('A stub is a function that returns the data.')
    checkNames('stub', options, ['validate'])
    const { validate = true } = options
    if (typeof validate !== 'boolean') throw new FakeUsageError('validate is true or false.')
    const stub: Stub = { operation, answer: answer as StubAnswer, validate }
    this.#stubs = [stub, ...this.#stubs]
    return () => {
      this.#stubs = this.#stubs.filter((one) => one !== stub)
    }
  }

  /** The result of the newest stub of the operation, if there is one. `find` looks up the data without the stub. */
  answer(call: AdmittedCall, find: () => QueryResult | undefined): Promise<QueryResult | undefined> | undefined {
    const stub = this.#stubs.find(({ operation }) => operation === call.match.operation)
    return stub && runStub(stub, call, find)
  }

  save(): readonly Stub[] {
    return this.#stubs
  }

  load(stubs: readonly Stub[]): void {
    this.#stubs = stubs
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
    found = find()
    return (found && structuredClone(found.data)) as StubData<FakeOperation>
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
  const mismatch = validate ? findMismatch(operation, copy) : undefined
  if (mismatch) throw new FakeUsageError(`The stub of ${operation} does not match the contract: ${mismatch}`)
  const cursor = found?.cursor ? { cursor: found.cursor } : {}
  return { data: copy, items: countItems(operation, copy, call.parsed), ...cursor }
}

/** The parameters that the route of a call has. */
function paramsOf({ match, parsed }: AdmittedCall): Record<string, unknown> {
  const route = fakeRoutes[match.operation]
  const params: Record<string, unknown> = {}
  if ('address' in match.path) params.address = parsed.address
  if ('pool' in match.path) params.pool = parsed.address
  for (const name of route.query ?? []) if (parsed[name] !== undefined) params[name] = parsed[name]
  if (route.maxLimit !== undefined) params.limit = parsed.limit
  return params
}
