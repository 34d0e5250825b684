import type { ApiPromise } from './api-promise.ts'
import type { CostEstimate } from './credits/cost.ts'
import type { SpendingLimit } from './credits/joint-budget.ts'
import type { OperationId } from './generated/operations.ts'
import type { CallOptions } from './options.ts'

/** What other entries of this package need of a client, and its users do not. */
export interface ClientInternals {
  /** The text without any key that the client has used. */
  redact(text: string): string
  /** Checks parameters, as `estimate` of the method does. */
  estimate(operation: OperationId, params: unknown): CostEstimate
  /** A call whose attempts have to fit `budget` beside the client's own. One that shares a request counts in neither. */
  call(operation: OperationId, params: unknown, options: CallOptions, budget: SpendingLimit): ApiPromise<unknown>
}

/** Registered, because an application may load the ES module and the CommonJS copy of the package. */
const INTERNALS = Symbol.for('etn-market.client')

/** Adds the internals to a client. Copies of the client have them too. */
export function withInternals<Client extends object>(client: Client, internals: ClientInternals): Client {
  return Object.assign(client, { [INTERNALS]: () => internals })
}

/** The internals of a client made by `createClient`; undefined for anything else. */
export function internalsOf(client: object): ClientInternals | undefined {
  return (client as { [INTERNALS]?: () => ClientInternals })[INTERNALS]?.()
}
