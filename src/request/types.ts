import type { Cancel } from '../abort.ts'
import type { Address } from '../address.ts'
import type { Reservation } from '../credits/budget.ts'
import type { CostEstimate } from '../credits/cost.ts'
import type { ChargeState } from '../errors/base.ts'
import type { OperationId } from '../generated/operations.ts'
import type { FetchResponse } from '../options.ts'
import type { Slots } from '../slots.ts'
import type { CallSettings } from './settings.ts'

/** Parameters that may go out: checked, addresses in EIP-55 form, choices in the service's spelling. */
export interface CheckedParams {
  readonly operation: OperationId
  readonly values: Readonly<Record<string, ParamValue>>
  /** The addresses of a batch as the caller spells them, one for each in `values`. */
  readonly spellings: readonly string[]
}

export type ParamValue = string | number | readonly Address[] | undefined

/** One request that may be charged: one operation, or one chunk of a batch. */
export interface Part {
  readonly operation: OperationId
  /** Path and query below the base URL. */
  readonly path: string
  /** Short and quickly made: equal for requests that ask the same thing; by chance, once in 2^44, for batches that do not. */
  readonly hash: string
  /** Equal for requests that ask the same thing, and for no others. Not kept: to put 50 addresses in order takes its time. */
  key(): string
  readonly cost: CostEstimate
  /** The addresses of a chunk of a batch; empty for other operations. */
  readonly addresses: readonly Address[]
}

/** What every answer of the service is wrapped in. */
export interface Envelope {
  readonly data: unknown
  readonly cursor?: unknown
}

/** What the service answered, headers and as much of the body as came. */
export interface Reply {
  readonly status: number
  readonly headers: FetchResponse['headers']
  /** The body, or undefined when it was cut off or stalled. */
  readonly text: string | undefined
}

/** What one attempt was charged. */
export interface Charge {
  readonly state: ChargeState
  readonly credits: number
  /** Whether the service's header told it, rather than our own count. */
  readonly told: boolean
}

/** How one trip to the service ended. */
export type TripEnd =
  | { readonly reply: Reply; readonly loss?: undefined }
  | { readonly reply?: undefined; readonly loss: Loss }

/** How one trip to the service ended when no complete answer came back. */
export interface Loss {
  readonly kind: 'network' | 'timeout' | 'aborted' | 'redirect'
  /** Whether the request can have reached the service. */
  readonly sent: boolean
  /** Status and headers, where they came before the rest got lost. */
  readonly reply: Reply | undefined
  readonly cause: unknown
}

/** What one request has come to so far, all its attempts together. */
export interface Tally {
  attempts: number
  credits: number
  /** `unknown` as soon as any attempt may have been charged without telling. */
  charge: ChargeState
  /** Whether a part of the credits was computed rather than told. */
  computed: boolean
}

/** How one part was answered; what its request came to is paid by the first call that it answers. */
export interface Answer {
  readonly envelope: Envelope
  readonly tally: Tally
  readonly from: 'service' | 'shared' | 'cache'
}

/** Whom a refusal concerns: every heavy call of the client, or every call made with the key. */
export type CooldownScope = 'heavy' | 'key'

/** One request on its way, with what it may still take. */
export interface Journey {
  readonly part: Part
  readonly settings: CallSettings
  readonly signal: Cancel
  readonly tally: Tally
  /** Clock time at which the whole call must be over; grows when a later call joins. */
  deadlineAt(): number
  /** Where a chunk of a batch waits for its turn. */
  readonly slots: Slots | undefined
  /** Credits set aside for the attempt under way. */
  reservation: Reservation
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299
}
