import { fakeWallets } from './data/balances.ts'
import { fakeTokens } from './data/names.ts'
import { asCount, checkNames } from './rules/check-options.ts'
import { type FakeOperation, fakeOperations } from './rules/routes.ts'
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

/** A method of a client, as far as recording needs it. */
interface Method {
  (params: object, options?: object): { withMeta(): Promise<{ data: unknown; meta: { credits: { charged: number } } }> }
  estimate(params: object): { max: number }
}

/** Attempts of a call whose error is retryable. */
const MAX_ATTEMPTS = 3

/** The module name is a variable, because bundlers for pages cannot resolve it. */
const FILE_MODULE = 'node:fs/promises'

/**
 * Records the answers of the real service, for `createFakeService({ tape })`. Keys are redacted. A call that fails for a moment
 * is repeated twice at most; each attempt must fit the budget. It resolves to the tape, and rejects with the first error of
 * `run`; what was recorded until then is written.
 *
 * @example
 * const run = (own: typeof client) => own.token.price({ address: BOLT })
 * const tape = await record({ client, budget: { credits: 1_000 }, run })
 * const fake = createFakeService({ tape, onMissing: 'world' })
 */
export async function record<Client extends object>(options: RecordOptions<Client>): Promise<Tape> {
  checkNames('record', options, ['client', 'to', 'budget', 'run'])
  const { client, to, budget, run = callEverything } = options
  checkNames('budget', budget, ['credits'])
  const tape: Tape = { format: 'etn-market-tape', version: 1, entries: [] }
  const recorder = createRecorder(client, asCount('budget.credits', budget.credits), (entry) =>
    tape.entries.push(entry),
  )
  try {
    await run(recorder as Client)
  } finally {
    if (to !== undefined) await writeTape(to, tape)
  }
  return tape
}

function createRecorder(client: object, limit: number, add: (entry: TapeEntry) => void): object {
  const groups = new Set(fakeOperations.map((operation) => operation.split('.')[0]))
  let spent = 0
  const methodOf = (group: object, operation: FakeOperation, original: Method) => {
    /** One attempt. The client does not repeat it: an attempt whose answer is lost may be charged, and must fit too. */
    async function send(params: object, options: object | undefined) {
      const { max } = original.estimate(params)
      if (spent + max > limit)
        throw new RangeError(`record: ${operation} may cost ${max}, and ${limit - spent} of ${limit} credits are left.`)
      spent += max
      try {
        const answer = await original.call(group, params, { ...options, retry: false }).withMeta()
        spent += answer.meta.credits.charged - max
        return answer
      } catch (error) {
        const { charge, credits } = error as Record<string, unknown>
        if (charge !== 'unknown') spent += Number(credits ?? 0) - max
        throw error
      }
    }

    async function call(params: object, options: object | undefined) {
      for (let attempt = 1; ; attempt++) {
        try {
          const answer = await send(params, options)
          add(redact({ operation, params: { ...params }, data: answer.data }))
          return answer
        } catch (error) {
          const { status, code, charge, retryable } = error as Record<string, unknown>
          // After a `Retry-After` the client itself delays the next call.
          if (retryable === true && charge !== 'charged' && attempt < MAX_ATTEMPTS) continue
          const known = { status: Number(status), code: String(code), message: String((error as Error).message) }
          if (typeof status === 'number' && status >= 400)
            add(redact({ operation, params: { ...params }, error: known }))
          throw error
        }
      }
    }

    const recorded = (params: object = {}, options?: object) => {
      const answer = call(params, options)
      answer.catch(() => {})
      const data = answer.then((one) => one.data)
      return Object.assign(data, { withMeta: () => answer })
    }
    return Object.assign(recorded, { estimate: original.estimate })
  }
  const proxyOf = (group: object, name: string) =>
    new Proxy(group, {
      get(target, action) {
        const value = Reflect.get(target, action, target)
        const operation = fakeOperations.find((one) => one === `${name}.${String(action)}`)
        return operation && typeof value === 'function' ? methodOf(target, operation, value as Method) : value
      },
    })
  return new Proxy(client, {
    get(target, name) {
      const value = Reflect.get(target, name, target)
      if (name === 'request') return rejectRequest
      return groups.has(String(name)) && typeof value === 'object' ? proxyOf(value, String(name)) : value
    },
  })
}

async function rejectRequest(): Promise<never> {
  throw new TypeError('record: client.request has no operation to record. Call it on the client itself.')
}

/** One call of every operation, with the smallest page. */
async function callEverything(client: object): Promise<void> {
  const call = async (operation: FakeOperation, params: object): Promise<unknown> => {
    const [group = '', action = ''] = operation.split('.')
    const methods = (client as Record<string, Record<string, (params: object) => Promise<unknown>>>)[group]
    return methods?.[action]?.(params)
  }
  const address = fakeTokens.BOLT
  const limit = 1
  const light: FakeOperation[] = ['etn.price', 'nft.stats', 'account.me', 'meta.openapi']
  for (const operation of light) await call(operation, {})
  for (const operation of ['token.price', 'token.get', 'token.history', 'locks.get'] as const)
    await call(operation, { address })
  for (const operation of ['token.list', 'pool.list', 'trade.list'] as const) await call(operation, { limit })
  await call('token.candles', { address, limit })
  await call('prices.batch', { addresses: [address] })
  await call('balances.get', { address: fakeWallets.whale, limit })
  await call('farm.list', {})
  const [collection] = (await call('nft.collections', { limit })) as { address: string }[]
  if (collection) await call('nft.collection', { address: collection.address })
  if (collection) await call('nft.assets', { address: collection.address, limit })
  const [presale] = (await call('presale.list', { limit })) as { pool: string }[]
  if (presale) await call('presale.get', { pool: presale.pool })
}

/** Replaces everything that looks like a key. */
function redact(entry: TapeEntry): TapeEntry {
  const text = JSON.stringify(entry).replace(/esk_[A-Za-z0-9_-]+/g, 'esk_***')
  return JSON.parse(text) as TapeEntry
}

async function writeTape(path: string, tape: Tape): Promise<void> {
  const { writeFile } = (await import(
    /* webpackIgnore: true */ /* @vite-ignore */ FILE_MODULE
  )) as typeof import('node:fs/promises')
  await writeFile(path, `${JSON.stringify(tape, null, 2)}\n`)
}
