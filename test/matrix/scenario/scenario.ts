import type { BudgetStore, Client, ClientOptions, ConnectionError, EtnMarketError, ResponseError } from 'etn-market'
import { allOperations } from '../../../examples/support/steps.ts'
import { check, rejection, wait } from './check.ts'

/** The module `etn-market`, loaded by `import` or by `require`. */
export type Market = typeof import('etn-market')

/** The outcome of a scenario. The runner compares it with the ledger of the service. */
export interface ScenarioReport {
  /** Credits that the clients know to be charged. */
  credits: number
  /** Credits that may have been charged: the response was lost. */
  uncertain: number
  /** Requests that the clients count as sent. */
  requests: number
  ms: number
  /** The first failed step, if any. */
  failure?: string
}

/** The input of each step. */
interface ScenarioContext {
  readonly market: Market
  /** Creates a client whose requests and credits count towards the report. */
  createClient(options: ClientOptions): Client
}

/** One key per step, so that all faults can be set before the scenario starts: a page cannot set any. */
export const keys = {
  operations: 'esk_test_operations',
  batch: 'esk_test_batch',
  retry: 'esk_test_retry',
  hooks: 'esk_test_hooks',
  budget: 'esk_test_budget',
  abort: 'esk_test_abort',
  lost: 'esk_test_lost',
  mismatch: 'esk_test_mismatch',
  close: 'esk_test_close',
} as const

/** The faults of the scenario, in the form that `POST /_fake/faults` takes. */
export const faults = [
  { key: keys.retry, operation: 'etn.price', status: 429, retryAfter: '1' },
  { key: keys.hooks, operation: 'etn.price', status: 500 },
  { key: keys.abort, operation: 'locks.get', status: 503, retryAfter: '30' },
  { key: keys.lost, operation: 'token.price', reset: 'after', times: 'Infinity' },
  { key: keys.mismatch, operation: 'etn.price', status: 200, body: { data: { usd: 5 }, cursor: null }, charge: true },
  { key: keys.close, operation: 'nft.stats', never: true },
] as const

/** The charge of the lost `token.price`. */
export const LOST_CREDITS = 50
/** Charges without a response: that one, and an `nft.stats` that is never answered. */
export const UNCERTAIN_CREDITS = LOST_CREDITS + 25

const BOLT = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'
const known = [
  BOLT,
  '0x309B916b3A90cb3E071697Ea9680e9217A30066f',
  '0xEe432C220273e4F949007B4c1946562826Efa055',
  '0xc20d02538368D8F7deBeAeB99D9a8b4d4D1DDC1C',
  '0x138DAFbDA0CCB3d8E39C19edb0510Fc31b7C1c77',
] as const

async function everyOperation({ market, createClient }: ScenarioContext): Promise<void> {
  const client = createClient({ apiKey: keys.operations, budget: { credits: 20_000 } })
  const steps = allOperations(client, known)
  check('operations', steps.map(({ operation }) => operation).sort(), Object.keys(market.operations).sort())
  for (const { operation, estimate, run } of steps) {
    const [charged, , sample] = await run()
    const predicted = Number(charged) >= estimate.min && Number(charged) <= estimate.max
    check(operation, { predicted, known: sample !== 'an answer of another shape' }, { predicted: true, known: true })
  }
  check('spent', client.budget.spent, client.credits.charged)
  await client.close()
}

async function batchOf120({ market, createClient }: ScenarioContext): Promise<void> {
  const client = createClient({ apiKey: keys.batch })
  const unlisted = Array.from({ length: 120 - known.length }, (_, i) =>
    market.checksumAddress(`0x${(i + 1).toString(16).padStart(40, '0')}`),
  )
  const { data, meta } = await client.prices.batch({ addresses: [...known, ...unlisted] }).withMeta()
  const priced = Object.values(data).filter(Boolean).length
  check('batch', [Object.keys(data).length, priced, meta.requests, meta.credits.charged], [120, 5, 3, 1500])
  await client.close()
}

async function retryAfter({ market, createClient }: ScenarioContext): Promise<void> {
  const kept = new Map<string, unknown>()
  const store = { get: (key: string) => kept.get(key), set: (key: string, value: unknown) => void kept.set(key, value) }
  const budget = market.createBudget({ credits: 1_000, windowMs: 86_400_000, store: store as BudgetStore })
  const client = createClient({ apiKey: keys.retry, budget })
  const startedAt = Date.now()
  const { data, meta } = await client.etn.price().withMeta()
  const seen = { usd: typeof data.usd, attempts: meta.attempts, waited: Date.now() - startedAt >= 990 }
  check('retry', seen, { usd: 'string', attempts: 2, waited: true })
  check('stored budget', [budget.spent, kept.size], [25, 1])
  await client.close()
}

async function budgetExceeded({ market, createClient }: ScenarioContext): Promise<void> {
  const client = createClient({ apiKey: keys.budget, budget: { credits: 40 } })
  const error = await rejection(client.token.price({ address: BOLT }))
  check('budget', error instanceof market.BudgetExceededError && [error.name, error.needed], [
    'BudgetExceededError',
    50,
  ])
  await client.close()
}

async function abortWhileWaiting({ createClient }: ScenarioContext): Promise<void> {
  const controller = new AbortController()
  const reason = new Error('aborted by the user')
  let scheduledAt = 0
  const client = createClient({
    apiKey: keys.abort,
    onEvent({ type }) {
      if (type !== 'retry.scheduled') return
      scheduledAt = Date.now()
      setTimeout(() => controller.abort(reason), 50)
    },
  })
  const error = await rejection(client.locks.get({ address: BOLT }, { signal: controller.signal }))
  check('abort', [error === reason, scheduledAt > 0, Date.now() - scheduledAt < 5_000], [true, true, true])
  await client.close()
}

async function lostResponse({ market, createClient }: ScenarioContext): Promise<void> {
  const client = createClient({ apiKey: keys.lost, budget: { credits: 1_000 }, retry: false })
  // A successful call first, so that the lost one uses a connection that is already open.
  await client.etn.price()
  const error = await rejection(client.token.price({ address: BOLT }))
  const { name, charge, attempts } = error as ConnectionError
  check(
    'lost',
    [error instanceof market.ConnectionError, name, charge, attempts],
    [true, 'ConnectionError', 'unknown', 1],
  )
  check('uncertain', [client.budget.spent, client.budget.uncertain], [25, 50])
  await client.close()
}

/** The client loads its zod schemas here: only now does it need the reason for a mismatch. */
async function mismatchedResponse({ market, createClient }: ScenarioContext): Promise<void> {
  const client = createClient({ apiKey: keys.mismatch, validate: 'strict' })
  const error = await rejection(client.etn.price())
  const { name, credits, issues } = error as ResponseError
  const seen = [error instanceof market.ResponseError, name, credits, issues?.map(({ path }) => path)]
  check('mismatch', seen, [true, 'ResponseError', 25, ['data.usd']])
  await client.close()
}

async function closing({ market, createClient }: ScenarioContext): Promise<void> {
  const client = createClient({ apiKey: keys.close })
  const waiting = rejection(client.nft.stats())
  await wait(300)
  await client.close()
  const codes = [await waiting, await rejection(client.etn.price())].map((error) => {
    if (!market.isEtnMarketError(error)) throw error
    return (error as EtnMarketError).code
  })
  check('closed', codes, ['client_closed', 'client_closed'])
}

/** One object for each hook, whatever the version of ky. */
async function hooks({ createClient }: ScenarioContext): Promise<void> {
  const seen: unknown[] = []
  const client = createClient({
    apiKey: keys.hooks,
    hooks: {
      beforeRequest: [
        ({ request, attempt }) => request.headers.set('x-attempt', String(attempt)),
        ({ request, operation }) => void seen.push(operation, request.headers.get('x-attempt')),
        ({ request }) => new Request(request, { headers: { ...Object.fromEntries(request.headers), 'x-new': '1' } }),
      ],
      afterResponse: [
        async ({ response, attempt }) => void seen.push(response.status, attempt, typeof (await response.json())),
        ({ request, response }) =>
          response.ok
            ? new Response(JSON.stringify({ data: { usd: request.headers.get('x-new') } }), response)
            : undefined,
      ],
    },
  })
  const { data, meta } = await client.etn.price().withMeta()
  check('hooks', seen, ['etn.price', '1', 500, 1, 'object', 'etn.price', '2', 200, 2, 'object'])
  check('after hooks', [data.usd, meta.credits.charged], ['1', 25])
  await client.close()
}

/** With the lost response last of these calls, Chromium resent it three times and not twice. */
const STEPS = [
  abortWhileWaiting,
  batchOf120,
  budgetExceeded,
  closing,
  everyOperation,
  lostResponse,
  mismatchedResponse,
  retryAfter,
  hooks,
]

/** Runs the scenario that is the same on every runtime. It uses web APIs only. */
export async function runScenario(market: Market, baseUrl: string): Promise<ScenarioReport> {
  const startedAt = Date.now()
  const clients: Client[] = []
  let requests = 0
  const context: ScenarioContext = {
    market,
    createClient(options) {
      const client = market.createClient({
        ...options,
        baseUrl,
        onEvent(event) {
          if (event.type === 'request.sent') requests++
          options.onEvent?.(event)
        },
      })
      clients.push(client)
      return client
    },
  }
  const report = (): ScenarioReport => ({
    credits: clients.reduce((sum, { credits }) => sum + credits.charged, 0),
    uncertain: clients.reduce((sum, { budget }) => sum + budget.uncertain, 0),
    requests,
    ms: Date.now() - startedAt,
  })
  for (const step of STEPS) {
    try {
      await step(context)
    } catch (error) {
      return { ...report(), failure: `${step.name}: ${describe(error)}` }
    }
  }
  return report()
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { name, message, cause } = error
  return `${name}: ${message}${cause === undefined ? '' : ` (${describe(cause)})`}`
}
