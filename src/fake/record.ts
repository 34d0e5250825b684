import { type AnswerListener, internalsOf } from '../client/client-internals.ts'
import { isError } from '../utils/runtime.ts'
import { fakeWallets } from './data/balances.ts'
import { fakeTokens } from './data/names.ts'
import { checkOptions, FakeUsageError, show } from './rules/check.ts'
import { type FakeOperation, fakeOperations, fakeRoutes, givenParams, matchRoute } from './rules/routes.ts'
import * as is from './rules/schema.ts'
import type { Tape, TapeEntry } from './rules/tape.ts'

/** Options of `record`. */
export interface RecordOptions<Client extends object> {
  /** The client that calls the real service. */
  client: Client
  /** What the recording may cost. */
  budget: {
    /** Maximum of credits; a call that could exceed it is not sent. */
    credits: number
  }
  /**
   * The calls to record. They use the client that it receives, or what is made of that: a feed, a proxy, queries. What it starts ends with it:
   * later calls are refused.
   * @default one call of every operation, with the smallest page
   */
  run?: ((client: Client) => unknown) | undefined
}

type Groups = Record<string, Record<string, (params: object) => Promise<never>>>

/** The error of a recording that ended early. It carries what was recorded until then, because that was paid for. */
export class RecordError extends Error {
  /** Name of the class. */
  override readonly name = 'RecordError'
  readonly #tape: Tape

  constructor(tape: Tape, cause: unknown) {
    const reason = isError(cause) ? cause.message : show(cause)
    super(`The recording ended with ${tape.entries.length} answers: ${reason}`, { cause })
    this.#tape = tape
  }

  /** What was recorded before the error. It is not printed with the error. */
  get tape(): Tape {
    return this.#tape
  }
}

/**
 * Records the answers of the real service as they came, for `createFakeService({ tape })` and for programs in any language. It resolves to the
 * tape, which is JSON. The keys of the client are redacted, and whatever looks like a key. A call that fails for a moment is repeated twice at
 * most, unless its options say otherwise; each attempt must fit the budget.
 *
 * @throws RecordError with the tape so far, and the first error of `run` as its `cause`
 *
 * @example
 * const run = (own: typeof client) => own.token.price({ address: BOLT })
 * const tape = await record({ client, budget: { credits: 1_000 }, run })
 * const fake = createFakeService({ tape, onMissing: 'world' })
 */
export async function record<Client extends object>(options: RecordOptions<Client>): Promise<Tape> {
  checkOptions('record', is.object({ client: {}, budget: {}, run: is.anyFunction }), options)
  const { client, budget, run = callEverything } = options
  // A feed has the internals of its client, and no methods to call.
  const internals = 'request' in Object(client) ? internalsOf(client) : undefined
  if (!internals) throw new FakeUsageError('client is a client that createClient made.')
  checkOptions('budget', is.object({ credits: is.count }, ['credits']), budget, 'budget')
  const answers: TapeEntry[] = []
  const onAnswer: AnswerListener = (path, outcome) => {
    const request = requestOf(path)
    const answer = 'text' in outcome ? answerOfBody(outcome.text) : answerOfError(outcome.error)
    if (request && answer) answers.push({ ...request, ...answer })
  }
  const limit = new RecordingLimit(budget.credits)
  const recorder = internals.extend({ onAnswer, budget: limit, options: { retry: { limit: 2 } } })
  // At the end, because a key that was sent late may be in an earlier answer.
  const end = (): Tape => {
    limit.isOver = true
    const entries = answers.map((entry) => redactEntry(entry, internals.redact))
    return { format: 'etn-market-tape', version: 1, entries }
  }
  try {
    await run(recorder as unknown as Client)
    return end()
  } catch (error) {
    throw new RecordError(end(), error)
  }
}

/** What a recording may cost. Each attempt has to fit it; one whose answer is lost counts with its highest cost. */
class RecordingLimit {
  readonly #limit: number
  #left: number
  /** Whether nothing may be sent any more, because nothing would record it. */
  isOver = false

  constructor(limit: number) {
    this.#limit = limit
    this.#left = limit
  }

  check(credits: number, { operation = 'a call' }: { operation?: string | undefined } = {}): void {
    if (operation === 'request')
      throw new FakeUsageError('record: client.request has no operation to record. Call it on the client itself.')
    if (this.isOver) throw new RangeError(`record: ${operation} was made after the recording had ended.`)
    if (credits <= this.#left) return
    const left = `${this.#left} of ${this.#limit} credits are left`
    throw new RangeError(`record: ${operation} may cost ${credits}, and ${left}.`)
  }

  reserve(credits: number, details?: { operation?: string | undefined }) {
    this.check(credits, details)
    this.#left -= credits
    let isOpen = true
    const end = (charged: number): undefined => {
      if (isOpen) this.#left += credits - charged
      isOpen = false
    }
    return { credits, confirm() {}, settle: end, release: () => end(0), markUncertain: () => end(credits) }
  }
}

/** Calls every operation, with the smallest page; none where an earlier answer names nothing to ask about. */
async function callEverything(client: object): Promise<void> {
  const answers: Partial<Record<FakeOperation, readonly Record<string, string>[] | undefined>> = {}
  for (const operation of fakeOperations) {
    const { path, query, maxLimit } = fakeRoutes[operation]
    const [group = '', action = ''] = operation.split('.')
    const [collection, presale] = [answers['nft.collections']?.[0], answers['presale.list']?.[0]]
    const tokenOrWallet = group === 'balances' ? fakeWallets.whale : fakeTokens.BOLT
    const params = {
      ...(path.includes('{address}') && { address: group === 'nft' ? collection?.address : tokenOrWallet }),
      ...(path.includes('{pool}') && { pool: presale?.pool }),
      ...(query?.includes('addresses') && { addresses: [fakeTokens.BOLT] }),
      ...(maxLimit !== undefined && { limit: 1 }),
    }
    if (Object.values(params).includes(undefined)) continue
    answers[operation] = await (client as Groups)[group]?.[action]?.(params)
  }
}

type Answer = Omit<TapeEntry, 'operation' | 'params'>

/** The answer with a body; undefined for a body without data. */
function answerOfBody(text: string): Answer | undefined {
  const body = asObject(JSON.parse(text))
  // A few answers may come without an envelope.
  if (!body || !Object.hasOwn(body, 'data')) return body && { data: body }
  const { data, cursor = null } = body
  return { data, ...(cursor === null ? {} : { cursor: String(cursor) }) }
}

/** The error that the service answered; undefined for one that it did not. */
function answerOfError(error: unknown): Answer | undefined {
  const { status, code, message, body } = error as Record<string, unknown>
  if (typeof status !== 'number' || status < 400) return undefined
  const sent = asObject(asObject(body)?.error)
  return { error: { status, code: String(sent?.code ?? code), message: String(sent?.message ?? message) } }
}

/** The same with every text redacted, and without anything else that looks like a key. */
function redactEntry(entry: TapeEntry, redact: (text: string) => string): TapeEntry {
  const clean = (text: string) => redact(text).replace(/esk_[A-Za-z0-9_-]+/g, 'esk_***')
  const copy = (value: unknown): unknown => {
    if (typeof value === 'string') return clean(value)
    if (Array.isArray(value)) return value.map(copy)
    const fields = asObject(value)
    return fields ? Object.fromEntries(Object.entries(fields).map(([name, item]) => [clean(name), copy(item)])) : value
  }
  return copy(entry) as TapeEntry
}

function requestOf(path: string): Pick<TapeEntry, 'operation' | 'params'> | undefined {
  const { pathname, searchParams } = new URL(`http://any/${path}`)
  const match = matchRoute(pathname)
  return match && { operation: match.operation, params: givenParams(match, searchParams) }
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
}
