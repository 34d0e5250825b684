// A user's file. It is only type-checked.
import {
  BudgetExceededError,
  type CallMeta,
  type CallOptions,
  type Client,
  type ClientEvent,
  type ClientOptions,
  createBudget,
  createClient,
  estimateCost,
  isEtnMarketError,
  type OperationId,
  operations,
  planCredits,
  type TokenPrice,
  toUnits,
} from 'etn-market'
import { createFakeService, type FakeService, fakeTokens } from 'etn-market/fake'
import { createNodeTransport, type NodeTransport } from 'etn-market/node'

export const options: ClientOptions = {
  apiKey: async () => 'esk_test_fake',
  retry: { limit: 1, maxRetryAfterMs: undefined },
  budget: createBudget({ credits: 1_000, windowMs: 60_000 }),
  cache: { ttlMs: { 'token.list': 60_000 }, store: new Map<string, string>() },
  fetch: undefined,
  validate: 'strict',
  onEvent: (event: ClientEvent) => (event.type === 'retry.scheduled' ? event.waitMs : undefined),
}

const address = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'

export async function use(signal: AbortSignal): Promise<string[]> {
  const fake: FakeService = createFakeService({ keys: { [fakeTokens.BOLT]: 100 }, cors: 'hidden' })
  const client: Client = createClient({ ...options, fetch: fake.fetch })
  const call: CallOptions = { signal, timeoutMs: 1_000, retry: false }
  try {
    const { data, meta }: { data: TokenPrice; meta: CallMeta } = await client.token.price({ address }, call).withMeta()
    const prices = await client.prices.batch({ addresses: [address] })
    const usd: string | null | undefined = prices[address]?.usd ?? data.usd
    const { max } = estimateCost('token.list', { limit: 20 })
    const ids = Object.keys(operations) as OperationId[]
    const plan = planCredits([{ operation: 'etn.price', everyMs: 60_000 }])
    const units: string = toUnits('0x10', 18)
    // @ts-expect-error a price is a string
    data.usd?.toFixed(2)
    return [`${usd} ${max} ${meta.credits.charged} ${plan.usdPerDay} ${units}`, ...ids]
  } catch (error) {
    if (error instanceof BudgetExceededError) return [String(error.needed)]
    if (isEtnMarketError(error)) return [error.code, error.charge]
    throw error
  } finally {
    await client.close()
    fake.fault({ operation: 'etn.price', retryAfter: { inMs: 10 } }).remove()
    await fake.close()
  }
}

export async function overNode(): Promise<void> {
  const transport: NodeTransport = createNodeTransport()
  const client = createClient({ ...options, transport })
  await client.close()
  await transport.close()
}

// @ts-expect-error the address is missing
export const incomplete = (client: Client) => client.token.price({})
// @ts-expect-error there is no such option
export const misspelled: ClientOptions = { apikey: 'esk_test_fake' }
