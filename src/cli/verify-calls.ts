import {
  type AfterResponseHook,
  type Client,
  type EtnMarketError,
  isAddress,
  isEtnMarketError,
  type OperationId,
  operations,
} from 'etn-market'
import type { TapeEntry } from 'etn-market/fake'
import { costOf, countItems } from '../credits/cost.ts'
import { estimateCall, methodOf } from './call-params.ts'
import { compareAnswer } from './contract.ts'
import { sumCosts } from './session.ts'

/** A refusal that is expected. */
export interface Probe {
  readonly what: string
  readonly path: string
  readonly query?: Readonly<Record<string, string | number>>
  /** What it costs if it is served after all. */
  readonly maxCredits: number
  readonly status: number
  readonly code: string
}

const SMALLEST = { limit: 1 }
const UNKNOWN_TOKEN = '0x00000000000000000000000000000000DeaDBeef'

export const PROBES: readonly Probe[] = [
  {
    what: 'a limit above the maximum',
    path: '/tokens/52014',
    query: { limit: 101 },
    maxCredits: 605,
    status: 400,
    code: 'invalid_limit',
  },
  { what: 'a wrong address', path: '/prices/52014/0x12', maxCredits: 50, status: 400, code: 'invalid_request' },
  { what: 'an unknown token', path: `/tokens/52014/${UNKNOWN_TOKEN}`, maxCredits: 100, status: 404, code: 'not_found' },
]

/** A call of the verification. `needs` names the sample that its address is. */
interface Step {
  readonly needs?: SampleName
  params(address: string, from: Samples): object
}

type SampleName = 'token' | 'collection' | 'presale' | 'wallet'
type Samples = Partial<Record<SampleName, string>> & { tokens?: readonly string[] }

/** One of some tokens has a price most likely; its answers show more. */
const TOKENS = 5

const noParams = () => ({})
const byAddress = (address: string) => ({ address })
const smallestPage = () => SMALLEST
const smallestPageOf = (address: string) => ({ address, ...SMALLEST })

/** In this order, because lists give the addresses of later calls. */
const STEPS: Readonly<Record<OperationId, Step>> = {
  'meta.openapi': { params: noParams },
  'account.me': { params: noParams },
  'etn.price': { params: noParams },
  'token.list': { params: () => ({ limit: TOKENS }) },
  'prices.batch': { needs: 'token', params: (address, { tokens }) => ({ addresses: tokens ?? [address] }) },
  'token.price': { needs: 'token', params: byAddress },
  'token.get': { needs: 'token', params: byAddress },
  'token.candles': { needs: 'token', params: smallestPageOf },
  'token.history': { needs: 'token', params: byAddress },
  'pool.list': { params: smallestPage },
  'trade.list': { params: smallestPage },
  'nft.stats': { params: noParams },
  'nft.collections': { params: smallestPage },
  'nft.collection': { needs: 'collection', params: byAddress },
  'nft.assets': { needs: 'collection', params: smallestPageOf },
  'presale.list': { params: smallestPage },
  'presale.get': { needs: 'presale', params: (pool) => ({ pool }) },
  'balances.get': { needs: 'wallet', params: smallestPageOf },
  'locks.get': { needs: 'token', params: byAddress },
  'farm.list': { params: noParams },
}

const steps = () => Object.entries(STEPS) as [OperationId, Step][]

/** What all calls and probes may cost, in credits. */
export function costOfVerification(): { min: number; max: number } {
  const tokens = Array.from({ length: TOKENS }, (_, index) => `0x${String(index).padStart(40, '0')}`)
  const calls = steps().map(([operation, { params }]) => estimateCall(operation, params(UNKNOWN_TOKEN, { tokens })))
  return sumCosts([...calls, ...PROBES.map(({ maxCredits }) => ({ min: 0, max: maxCredits }))])
}

/** What was found out about one operation. */
export interface OperationResult {
  readonly operation: OperationId
  /** `matches`, `differs`, `not_verified` without an address to ask about, or `failed`. */
  readonly status: 'matches' | 'differs' | 'not_verified' | 'failed'
  readonly credits: number
  /** Each names the place and the types, never a value. */
  readonly differences: readonly string[]
  /** Fields whose grade can be raised to `observed`. */
  readonly confirmed: readonly string[]
  readonly notSeen: readonly string[]
}

/** The service answers, but not what the contract says. */
const DIFFERENT_ANSWERS = ['no_data', 'not_json', 'unexpected_shape', 'response_too_large']

/** Calls every operation once, and compares the answers with the contract. They go on the tape. */
export async function callOperations(
  client: Client,
  contract: unknown,
  last: LastAnswer,
  signal: AbortSignal,
  onCall: (operation: OperationId) => void,
): Promise<{ operations: OperationResult[]; tape: TapeEntry[]; errors: EtnMarketError[] }> {
  const from: Samples = {}
  const operations: OperationResult[] = []
  const tape: TapeEntry[] = []
  const errors: EtnMarketError[] = []
  for (const [operation, { needs, params: paramsOf }] of steps()) {
    onCall(operation)
    const report = (status: OperationResult['status'], credits: number, differences: readonly string[]) =>
      void operations.push({ operation, status, credits, differences, confirmed: [], notSeen: [] })
    const compare = (credits: number, notes: readonly string[]) =>
      void operations.push(compareResult(contract, operation, last.body, credits, notes))
    const address = needs === undefined ? '' : from[needs]
    if (address === undefined) {
      report('not_verified', 0, [`no ${needs} to ask about: the list that has one is empty or unreadable`])
      continue
    }
    const params = paramsOf(address, from)
    last.forget()
    try {
      const call = methodOf(client, operation)(params, { signal, validate: 'off' })
      const { data, meta } = await call.withMeta()
      const { charged } = meta.credits
      compare(charged, [...last.checkHeaders(operation), ...checkCharge(operation, params, data, charged)])
      tape.push({ operation, params: { ...params }, data })
      learn(from, operation, data)
    } catch (error) {
      signal.throwIfAborted()
      if (!isEtnMarketError(error) || /^(Authentication|InsufficientCredits|BudgetExceeded)Error$/.test(error.name))
        throw error
      const { code, credits } = error
      // Without the words of the service, which may hold values.
      const message = error.message.replace(/ \(".*"\)/, '')
      // An answer without its envelope is compared as it is.
      if (code === 'no_data') compare(credits, last.checkHeaders(operation))
      else if (DIFFERENT_ANSWERS.includes(code)) report('differs', credits, [...last.checkHeaders(operation), message])
      else {
        report('failed', credits, [message])
        errors.push(error)
      }
      learn(from, operation, last.body)
    }
  }
  return { operations, tape, errors }
}

function compareResult(
  contract: unknown,
  operation: OperationId,
  body: unknown,
  credits: number,
  notes: readonly string[],
): OperationResult {
  const isDocument = operation === 'meta.openapi'
  // The OpenAPI document may come without its envelope. What is in it is compared by operation.
  const isBare = isDocument && typeof body === 'object' && body !== null && 'openapi' in body
  const { differences, ...seen } = compareAnswer(contract, operation, isBare ? { data: body, cursor: null } : body)
  const found = differences
    .filter(({ kind }) => !isDocument || kind !== 'new')
    .map(({ kind, path, message }) => `${kind}: ${path || 'the answer'}: ${message}`)
  const all = [...found, ...notes]
  return { operation, status: all.length > 0 ? 'differs' : 'matches', credits, differences: all, ...seen }
}

function checkCharge(operation: OperationId, params: object, data: unknown, charged: number): string[] {
  const { min, max } = estimateCall(operation, params)
  const asked = (params as { addresses?: readonly string[] }).addresses?.length ?? 0
  const items = countItems(operation, data, asked)
  const expected = items === undefined ? undefined : costOf(operations[operation].credits, items)
  if (charged >= (expected ?? min) && charged <= (expected ?? max)) return []
  return [`${charged} credits were charged, not ${expected ?? (min === max ? max : `${min} to ${max}`)}`]
}

/** Takes addresses for later calls. A wallet is the sender of a trade or the owner of an asset, else the token itself. */
function learn(from: Samples, operation: OperationId, data: unknown): void {
  const items = (Array.isArray(data) ? data : []).map((item) => Object(item) as Record<string, unknown>)
  const [item] = items
  const take = (name: SampleName, value: unknown) => {
    if (isAddress(value)) from[name] ??= value
  }
  if (operation === 'token.list') {
    take('token', item?.address)
    from.tokens = items.map(({ address }) => address).filter(isAddress)
  }
  if (operation === 'prices.batch') {
    const prices = Object(data) as Record<string, unknown>
    const priced = from.tokens?.find((address) => Object.hasOwn(prices, address) && prices[address] !== null)
    if (priced !== undefined) from.token = priced
  }
  if (operation === 'nft.collections') take('collection', item?.address)
  if (operation === 'presale.list') take('presale', item?.pool)
  if (operation === 'trade.list') take('wallet', item?.sender)
  if (operation === 'nft.assets') take('wallet', item?.ownerAddress)
  if (operation === 'presale.list') take('wallet', from.token)
}

/** Sends a request that must be refused. Resolves with what is different. */
export async function sendProbe(
  client: Client,
  probe: Probe,
  signal: AbortSignal,
  last: LastAnswer,
): Promise<string[]> {
  const { what, path, query, maxCredits, status, code } = probe
  const served = [`${what}: it is served, not refused with ${status} ${code}`]
  last.forget()
  try {
    await client.request(path, { query, maxCredits, signal })
    return served
  } catch (error) {
    signal.throwIfAborted()
    if (!isEtnMarketError(error) || error.status === undefined) throw error
    if (error.status < 400) return served
    const isExpected = error.status === status && error.code === code
    const refused = isExpected ? [] : [`refused with ${error.status} ${error.code}, not ${status} ${code}`]
    return [...refused, ...last.strayCredits('the call is refused')].map((line) => `${what}: ${line}`)
  }
}

const CREDIT_HEADERS = ['X-Credits-Cost', 'X-Credits-Remaining'] as const

/** What the service answered last, before the client reads it. */
export class LastAnswer {
  #body: unknown
  #headers = new Headers()

  /** The parsed body; undefined where it is not JSON. */
  get body(): unknown {
    return this.#body
  }
  /** What is wrong with the credit headers of an operation: a metered answer has both, a free one has none. */
  checkHeaders(operation: OperationId): string[] {
    if (operations[operation].credits === null) return this.strayCredits('the call is free')
    return CREDIT_HEADERS.flatMap((name) => {
      const value = this.#headers.get(name)
      if (value === null) return [`${name} is missing`]
      // Two of one name are joined by a comma.
      return /^\d{1,15}$/.test(value) ? [] : [`${name} is not one whole number`]
    })
  }
  /** Credit headers that are there although `reason`. */
  strayCredits(reason: string): string[] {
    const stray = CREDIT_HEADERS.filter((name) => this.#headers.has(name))
    return stray.map((name) => `${name} is there although ${reason}`)
  }
  forget(): void {
    this.#body = undefined
    this.#headers = new Headers()
  }
  readonly hook: AfterResponseHook = async ({ response }) => {
    this.#headers = response.headers
    this.#body = await response
      .clone()
      .json()
      .catch(() => undefined)
  }
}
