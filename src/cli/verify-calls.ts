import { type Client, estimateCost, isAddress, isEtnMarketError, type OperationId } from 'etn-market'
import type { TapeEntry } from 'etn-market/fake'
import { methodOf } from './operation-method.ts'

/** The answer of an operation, or why there is none. */
export interface Sample {
  readonly operation: OperationId
  readonly body?: unknown
  readonly credits: number
  /** What was charged against the contract. */
  readonly notes: readonly string[]
  readonly problem?: { readonly kind: 'failed' | 'not_verified'; readonly message: string; readonly error?: unknown }
}

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
  readonly operation: OperationId
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
const STEPS: readonly Step[] = [
  { operation: 'meta.openapi', params: noParams },
  { operation: 'account.me', params: noParams },
  { operation: 'etn.price', params: noParams },
  { operation: 'token.list', params: () => ({ limit: TOKENS }) },
  { operation: 'prices.batch', needs: 'token', params: (address, { tokens }) => ({ addresses: tokens ?? [address] }) },
  { operation: 'token.price', needs: 'token', params: byAddress },
  { operation: 'token.get', needs: 'token', params: byAddress },
  { operation: 'token.candles', needs: 'token', params: smallestPageOf },
  { operation: 'token.history', needs: 'token', params: byAddress },
  { operation: 'pool.list', params: smallestPage },
  { operation: 'trade.list', params: smallestPage },
  { operation: 'nft.stats', params: noParams },
  { operation: 'nft.collections', params: smallestPage },
  { operation: 'nft.collection', needs: 'collection', params: byAddress },
  { operation: 'nft.assets', needs: 'collection', params: smallestPageOf },
  { operation: 'presale.list', params: smallestPage },
  { operation: 'presale.get', needs: 'presale', params: (pool) => ({ pool }) },
  { operation: 'balances.get', needs: 'wallet', params: smallestPageOf },
  { operation: 'locks.get', needs: 'token', params: byAddress },
  { operation: 'farm.list', params: noParams },
]

/** What all calls and probes may cost, in credits. */
export function costOfVerification(): { min: number; max: number } {
  const tokens = Array.from({ length: TOKENS }, (_, index) => `0x${String(index).padStart(40, '0')}`)
  const calls = STEPS.map(({ operation, params }) =>
    estimateCost(operation, params(UNKNOWN_TOKEN, { tokens }) as never),
  )
  return {
    min: calls.reduce((sum, { min }) => sum + min, 0),
    max: calls.reduce((sum, { max }) => sum + max, 0) + PROBES.reduce((sum, { maxCredits }) => sum + maxCredits, 0),
  }
}

/** Calls every operation once. `bodyOf` returns the newest raw answer. Answers go on the tape. */
export async function takeSamples(
  client: Client,
  signal: AbortSignal,
  bodyOf: () => unknown,
  onSample: (operation: OperationId) => void,
): Promise<{ samples: Sample[]; tape: TapeEntry[] }> {
  const from: Samples = {}
  const samples: Sample[] = []
  const tape: TapeEntry[] = []
  for (const { operation, needs, params: paramsOf } of STEPS) {
    onSample(operation)
    const address = needs === undefined ? '' : from[needs]
    if (address === undefined) {
      const message = `no ${needs} to ask about: the list that has one is empty or unreadable`
      samples.push({ operation, credits: 0, notes: [], problem: { kind: 'not_verified', message } })
      continue
    }
    const params = paramsOf(address, from)
    try {
      const call = methodOf(client, operation)(params, { signal, validate: 'off' })
      const { data, meta } = await call.withMeta()
      const isMetered = estimateCost(operation, params as never).max > 0
      const notes = isMetered && meta.credits.source !== 'header' ? ['X-Credits-Cost is missing or unreadable'] : []
      const { min, max } = estimateCost(operation, params as never)
      if (meta.credits.charged < min || meta.credits.charged > max)
        notes.push(`${meta.credits.charged} credits were charged, not ${min === max ? max : `${min} to ${max}`}`)
      samples.push({ operation, body: bodyOf(), credits: meta.credits.charged, notes })
      tape.push({ operation, params: { ...params }, data })
      learn(from, operation, data)
    } catch (error) {
      signal.throwIfAborted()
      if (!isEtnMarketError(error) || /^(Authentication|InsufficientCredits|BudgetExceeded)Error$/.test(error.name))
        throw error
      samples.push({
        operation,
        credits: error.credits,
        notes: [],
        // Without the words of the service, which may hold values.
        problem: { kind: 'failed', message: error.message.replace(/ \(".*"\)/, ''), error },
      })
    }
  }
  return { samples, tape }
}

/** Takes addresses for later calls. A wallet is the sender of a trade or the owner of an asset, else the token itself. */
function learn(from: Samples, operation: OperationId, data: unknown): void {
  const [item] = Array.isArray(data) ? (data as Record<string, unknown>[]) : []
  const take = (name: SampleName, value: unknown) => {
    if (isAddress(value)) from[name] ??= value
  }
  if (operation === 'token.list') {
    take('token', item?.address)
    from.tokens = Array.isArray(data) ? data.map(({ address }) => address).filter(isAddress) : []
  }
  if (operation === 'prices.batch') {
    const prices = data as Record<string, unknown>
    from.token = from.tokens?.find((address) => prices[address] !== null) ?? from.token ?? ''
  }
  if (operation === 'nft.collections') take('collection', item?.address)
  if (operation === 'presale.list') take('presale', item?.pool)
  if (operation === 'trade.list') take('wallet', item?.sender)
  if (operation === 'nft.assets') take('wallet', item?.ownerAddress)
  if (operation === 'presale.list') take('wallet', from.token)
}

/** Sends a request that must be refused. Resolves with what is different. */
export async function sendProbe(client: Client, probe: Probe, signal: AbortSignal): Promise<string | undefined> {
  const { path, query, maxCredits, status, code } = probe
  try {
    await client.request(path, { query, maxCredits, signal })
    return `${probe.what}: it is served, not refused with ${status} ${code}`
  } catch (error) {
    signal.throwIfAborted()
    if (!isEtnMarketError(error) || error.status === undefined) throw error
    if (error.status === status && error.code === code) return undefined
    return `${probe.what}: refused with ${error.status} ${error.code}, not ${status} ${code}`
  }
}
