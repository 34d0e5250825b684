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
import type { Operation } from '../operations/operation.ts'
import { estimateCall, methodOf } from './call-params.ts'
import { compareAnswer } from './compare-contract.ts'
import { formatItems } from './output.ts'
import { type Session, sumCosts } from './session.ts'

const UNKNOWN_TOKEN = '0x00000000000000000000000000000000DeaDBeef'

/** Requests that must be refused, with the status and the code that are expected, and what each costs if it is served after all. */
const PROBES = [
  { what: 'a limit above the maximum', path: '/tokens/52014', limit: 101, expected: '400 invalid_limit', cost: 605 },
  { what: 'a wrong address', path: '/prices/52014/0x12', expected: '400 invalid_request', cost: 50 },
  { what: 'an unknown token', path: `/tokens/52014/${UNKNOWN_TOKEN}`, expected: '404 not_found', cost: 100 },
]

type SampleName = 'token' | 'collection' | 'presale' | 'wallet'
type Samples = Partial<Record<SampleName, string>> & { tokens?: readonly string[] }

/** One of some tokens has a price most likely; its answers show more. */
const TOKENS = 5

/** The sample that a field of the first item of a list is. */
const SAMPLE_FIELDS: Partial<Record<OperationId, readonly [SampleName, field: string]>> = {
  'token.list': ['token', 'address'],
  'trade.list': ['wallet', 'sender'],
  'nft.collections': ['collection', 'address'],
  'nft.assets': ['wallet', 'ownerAddress'],
  'presale.list': ['presale', 'pool'],
}

/** What the operations of a group ask about; those of other groups ask about tokens. */
const SUBJECTS: Readonly<Record<string, SampleName>> = { nft: 'collection', presale: 'presale', balances: 'wallet' }

/** The sample without which an operation cannot be called. */
function neededSample(operation: OperationId): SampleName | undefined {
  const { params }: Operation = operations[operation]
  const [group = ''] = operation.split('.')
  return params.some(({ required }) => required) ? (SUBJECTS[group] ?? 'token') : undefined
}

/** The parameters of the smallest call. */
function smallestParams(operation: OperationId, address: string, addresses: readonly string[]): object {
  const { params }: Operation = operations[operation]
  const values = { address, addresses, limit: operation === 'token.list' ? TOKENS : 1, choice: undefined }
  const used = params.filter(({ required, kind }) => required || kind === 'limit')
  return Object.fromEntries(used.map(({ name, kind }) => [name, values[kind]]))
}

const ids = Object.keys(operations) as OperationId[]
/** Lists first: they give the addresses of the other calls. */
const OPERATIONS = [...ids.filter((id) => !neededSample(id)), ...ids.filter(neededSample)]

/** What all calls and probes may cost, in credits. */
export function costOfVerification(): { min: number; max: number } {
  const tokens = Array.from({ length: TOKENS }, (_, index) => `0x${String(index).padStart(40, '0')}`)
  const calls = ids.map((operation) => estimateCall(operation, smallestParams(operation, UNKNOWN_TOKEN, tokens)))
  return sumCosts([...calls, ...PROBES.map(({ cost }) => ({ min: 0, max: cost }))])
}

interface OperationResult {
  readonly operation: OperationId
  /** `matches`, `differs`, `not_verified` without an address to ask about, or `failed`. */
  readonly status: 'matches' | 'differs' | 'not_verified' | 'failed'
  readonly credits: number
  /** Each names the place and the types, never a value. */
  readonly differences: readonly string[]
  /** Fields that are less than observed, and that were there with the right type: their grade can be raised. */
  readonly confirmed: readonly string[]
  /** Fields that were null, absent although that is allowed, or in an empty list. */
  readonly notSeen: readonly string[]
}

/** The service answers, but not what the contract says. */
const DIFFERENT_ANSWERS = ['no_data', 'not_decoded', 'not_json', 'too_deep', 'unexpected_shape', 'response_too_large']
const CREDIT_HEADERS = ['X-Credits-Cost', 'X-Credits-Remaining'] as const

/** Calls a service, and compares what it answers with the contract. */
export class Verification {
  readonly operations: OperationResult[] = []
  readonly probes: string[] = []
  readonly tape: TapeEntry[] = []
  readonly errors: EtnMarketError[] = []
  readonly #contract: unknown
  readonly #samples: Samples = {}
  /** What the service answered last, before the client reads it: undefined where it is not JSON. */
  #body: unknown
  #headers = new Headers()

  constructor(contract: unknown) {
    this.#contract = contract
  }

  readonly hook: AfterResponseHook = async ({ response }) => {
    this.#headers = response.headers
    this.#body = await response
      .clone()
      .json()
      .catch(() => undefined)
  }

  /** Calls every operation once, and sends requests that must be refused. Answers go on the tape. */
  async run(session: Session, client: Client): Promise<void> {
    const { signal } = session
    for (const operation of OPERATIONS) {
      if (!session.json && session.host.stderr.isTTY) session.note(`Calling ${operation}`)
      const needs = neededSample(operation)
      const { token, wallet = token, tokens = [] } = this.#samples
      const address = needs === undefined ? '' : { ...this.#samples, wallet }[needs]
      if (address !== undefined) await this.#call(client, signal, operation, smallestParams(operation, address, tokens))
      else this.#report(operation, 'not_verified', 0, `no ${needs} to ask about: its list is empty or unreadable`)
    }
    for (const probe of PROBES) await this.#probe(client, signal, probe)
  }

  async #call(client: Client, signal: AbortSignal, operation: OperationId, params: object): Promise<void> {
    this.#forget()
    try {
      const { data, meta } = await methodOf(client, operation)(params, { signal, validate: 'off' }).withMeta()
      const { charged } = meta.credits
      this.#compare(operation, charged, checkCharge(operation, params, data, charged))
      this.tape.push({ operation, params: { ...params }, data })
      this.#learn(operation, data)
    } catch (error) {
      signal.throwIfAborted()
      if (!isEtnMarketError(error) || /^(Authentication|InsufficientCredits|BudgetExceeded)Error$/.test(error.name))
        throw error
      const { code, credits } = error
      // Without the words of the service, which may hold values.
      const message = error.message.replace(/ \(".*"\)/, '')
      // An answer without its envelope is compared as it is.
      if (code === 'no_data') this.#compare(operation, credits, [])
      else if (DIFFERENT_ANSWERS.includes(code))
        this.#report(operation, 'differs', credits, ...this.#checkHeaders(operation), message)
      else {
        this.#report(operation, 'failed', credits, message)
        this.errors.push(error)
      }
      this.#learn(operation, this.#body)
    }
  }

  #report(operation: OperationId, status: OperationResult['status'], credits: number, ...differences: string[]): void {
    this.operations.push({ operation, status, credits, differences, confirmed: [], notSeen: [] })
  }

  #compare(operation: OperationId, credits: number, notes: readonly string[]): void {
    const isDocument = operation === 'meta.openapi'
    const body = this.#body
    // The OpenAPI document may come without its envelope. What is in it is compared by operation.
    const isBare = isDocument && typeof body === 'object' && body !== null && 'openapi' in body
    const answer = isBare ? { data: body, cursor: null } : body
    const { differences: found, ...seen } = compareAnswer(this.#contract, operation, answer)
    const differences = [
      ...found
        .filter(({ kind }) => !isDocument || kind !== 'new')
        .map(({ kind, path, message }) => `${kind}: ${path || 'the answer'}: ${message}`),
      ...this.#checkHeaders(operation),
      ...notes,
    ]
    const status = differences.length > 0 ? 'differs' : 'matches'
    this.operations.push({ operation, status, credits, differences, ...seen })
  }

  #learn(operation: OperationId, data: unknown): void {
    const samples = this.#samples
    const items = (Array.isArray(data) ? data : []).map((item) => Object(item) as Record<string, unknown>)
    const [name, field = ''] = SAMPLE_FIELDS[operation] ?? []
    const value = items[0]?.[field]
    if (name !== undefined && isAddress(value)) samples[name] ??= value
    if (operation === 'token.list') samples.tokens = items.map(({ address }) => address).filter(isAddress)
    if (operation !== 'prices.batch') return
    const prices = Object(data) as Record<string, unknown>
    const priced = samples.tokens?.find((address) => Object.hasOwn(prices, address) && prices[address] !== null)
    if (priced !== undefined) samples.token = priced
  }

  async #probe(client: Client, signal: AbortSignal, probe: (typeof PROBES)[number]): Promise<void> {
    const { what, path, limit, expected, cost } = probe
    const served = `it is served, not refused with ${expected}`
    this.#forget()
    try {
      await client.request(path, { query: { limit }, maxCredits: cost, signal })
      this.probes.push(`${what}: ${served}`)
    } catch (error) {
      signal.throwIfAborted()
      if (!isEtnMarketError(error) || error.status === undefined || error.code === 'proxy_refused') throw error
      const answer = `${error.status} ${error.code}`
      const wrong = error.status < 400 ? served : `refused with ${answer}, not ${expected}`
      const stray = error.status < 400 ? [] : this.#strayHeaders('the call is refused')
      this.probes.push(...(answer === expected ? stray : [wrong, ...stray]).map((line) => `${what}: ${line}`))
    }
  }

  /** What is wrong with the credit headers of an operation: a metered answer has both, a free one has none. */
  #checkHeaders(operation: OperationId): string[] {
    if (operations[operation].credits === null) return this.#strayHeaders('the call is free')
    return CREDIT_HEADERS.flatMap((name) => {
      const value = this.#headers.get(name)
      if (value === null) return [`${name} is missing`]
      // Two of one name are joined by a comma.
      return /^\d{1,15}$/.test(value) ? [] : [`${name} is not one whole number`]
    })
  }

  /** Credit headers that are there although `reason`. */
  #strayHeaders(reason: string): string[] {
    const stray = CREDIT_HEADERS.filter((name) => this.#headers.has(name))
    return stray.map((name) => `${name} is there although ${reason}`)
  }

  #forget(): void {
    this.#body = undefined
    this.#headers = new Headers()
  }
}

function checkCharge(operation: OperationId, params: object, data: unknown, charged: number): string[] {
  const { min, max } = estimateCall(operation, params)
  const asked = (params as { addresses?: readonly string[] }).addresses?.length ?? 0
  const items = countItems(operation, data, asked)
  const expected = items === undefined ? undefined : costOf(operations[operation].credits, items)
  if (charged >= (expected ?? min) && charged <= (expected ?? max)) return []
  return [`${formatItems(charged, 'credit')} charged, not ${expected ?? (min === max ? max : `${min} to ${max}`)}`]
}
