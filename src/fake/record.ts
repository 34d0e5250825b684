import { type AnswerListener, type CallExtras, type ClientInternals, internalsOf } from '../client-internals.ts'
import { fakeWallets } from './data/balances.ts'
import { fakeTokens } from './data/names.ts'
import { importNode } from './http/environment.ts'
import { checkOptions, FakeUsageError } from './rules/check.ts'
import { type FakeOperation, fakeOperations, fakeRoutes, givenParams, matchRoute } from './rules/routes.ts'
import * as is from './rules/schema.ts'
import type { Tape, TapeEntry } from './rules/tape.ts'

/** Options of `record`. */
export interface RecordOptions<Client extends object> {
  /** The client that calls the real service. */
  client: Client
  /** Path of the file to write. @default no file is written */
  to?: string
  /** What the recording may cost. */
  budget: {
    /** Maximum of credits; a call that could exceed it is not sent. */
    credits: number
  }
  /** The calls to record; they must use the client that it receives. @default one call of every operation, with the smallest page */
  run?: (client: Client) => unknown
}

type Groups = Record<string, Record<string, { estimate?: unknown; (params: object): Promise<never> }>>

const RETRIES = { limit: 2 }

/**
 * Records the answers of the real service as they came, for `createFakeService({ tape })` and for programs in any language. The keys
 * of the client are redacted, and whatever looks like a key. A call that fails for a moment is repeated twice at most, unless its options
 * say otherwise; each attempt must fit the budget. It resolves to the tape, and rejects with the first error of `run`; what was recorded
 * until then is written.
 *
 * @example
 * const run = (own: typeof client) => own.token.price({ address: BOLT })
 * const tape = await record({ client, budget: { credits: 1_000 }, run })
 * const fake = createFakeService({ tape, onMissing: 'world' })
 */
export async function record<Client extends object>(options: RecordOptions<Client>): Promise<Tape> {
  checkOptions('record', is.object({ client: {}, to: is.text, budget: {}, run: is.anyFunction }), options)
  const { client, to, budget, run = callEverything } = options
  const internals = internalsOf(Object(client))
  if (!internals) throw new FakeUsageError('client is a client that createClient made.')
  checkOptions('budget', is.object({ credits: is.count }, ['credits']), budget, 'budget')
  const tape: Tape = { format: 'etn-market-tape', version: 1, entries: [] }
  const recorder = createRecorder(client, internals, budget.credits, tape.entries)
  try {
    await run(recorder as Client)
  } finally {
    if (to !== undefined) {
      const { writeFile } = await importNode<typeof import('node:fs/promises')>('node:fs/promises')
      await writeFile(to, `${JSON.stringify(tape, null, 2)}\n`)
    }
  }
  return tape
}

/** A client whose methods record what they are answered. */
function createRecorder(client: object, internals: ClientInternals, limit: number, entries: TapeEntry[]): object {
  const onAnswer: AnswerListener = (path, outcome) => {
    const entry = 'text' in outcome ? entryOfBody(path, outcome.text) : entryOfError(path, outcome.error)
    if (entry) entries.push(redactEntry(entry, internals.redact))
  }
  const extras = { onAnswer, budget: limitRecording(limit) }
  const request = async () => {
    throw new FakeUsageError('record: client.request has no operation to record. Call it on the client itself.')
  }
  const replaced: Record<string, unknown> = { request }
  for (const operation of fakeOperations) {
    const [group = '', action = ''] = operation.split('.')
    const { estimate } = (client as Groups)[group]?.[action] ?? {}
    const call = (params?: object, options?: object) =>
      internals.call(operation, params, { retry: RETRIES, ...options }, extras)
    const many = (list: unknown, options?: object) =>
      internals.sweep(operation, list, { retry: RETRIES, ...options }, extras)
    replaced[group] = { ...Object(replaced[group]), [action]: Object.assign(call, { estimate, many }) }
  }
  return new Proxy(client, { get: (target, name) => replaced[String(name)] ?? Reflect.get(target, name, target) })
}

/** What a recording may cost. Each attempt has to fit it; one whose answer is lost counts with its highest cost. */
function limitRecording(limit: number): NonNullable<CallExtras['budget']> {
  let left = limit
  const check = (credits: number, { operation = 'a call' }: { operation?: string | undefined } = {}) => {
    if (credits <= left) return
    throw new RangeError(`record: ${operation} may cost ${credits}, and ${left} of ${limit} credits are left.`)
  }
  return {
    check,
    reserve(credits, details) {
      check(credits, details)
      left -= credits
      let isOpen = true
      const end = (charged: number): undefined => {
        if (isOpen) left += credits - charged
        isOpen = false
      }
      return { credits, confirm() {}, settle: end, release: () => end(0), markUncertain: () => end(credits) }
    },
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

/** The entry of an answer with a body; undefined for a body without data. */
function entryOfBody(path: string, text: string): TapeEntry | undefined {
  const request = requestOf(path)
  const body = asObject(JSON.parse(text))
  if (!request || !body) return undefined
  // A few answers may come without an envelope.
  if (!Object.hasOwn(body, 'data')) return { ...request, data: body }
  const { data, cursor = null } = body
  return { ...request, data, ...(cursor === null ? {} : { cursor: String(cursor) }) }
}

/** The entry of an error that the service answered; undefined for one that it did not. */
function entryOfError(path: string, error: unknown): TapeEntry | undefined {
  const request = requestOf(path)
  const { status, code, message, body } = error as Record<string, unknown>
  if (!request || typeof status !== 'number' || status < 400) return undefined
  const sent = asObject(asObject(body)?.error)
  return { ...request, error: { status, code: String(sent?.code ?? code), message: String(sent?.message ?? message) } }
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
