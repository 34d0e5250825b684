import type { ConnectionError, EtnMarketError, ResponseError } from 'etn-market'
import { allOperations } from '../../../examples/support/steps.ts'
import { check, rejection, wait } from './check.ts'
import { keys } from './keys.ts'
import type { ScenarioContext } from './types.ts'

const BOLT = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'
const known = [
  BOLT,
  '0x309B916b3A90cb3E071697Ea9680e9217A30066f',
  '0xEe432C220273e4F949007B4c1946562826Efa055',
  '0xc20d02538368D8F7deBeAeB99D9a8b4d4D1DDC1C',
  '0x138DAFbDA0CCB3d8E39C19edb0510Fc31b7C1c77',
] as const

export async function everyOperation({ market, createClient }: ScenarioContext): Promise<void> {
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

export async function batchOf120({ market, createClient }: ScenarioContext): Promise<void> {
  const client = createClient({ apiKey: keys.batch })
  const unlisted = Array.from({ length: 120 - known.length }, (_, i) =>
    market.checksumAddress(`0x${(i + 1).toString(16).padStart(40, '0')}`),
  )
  const { data, meta } = await client.prices.batch({ addresses: [...known, ...unlisted] }).withMeta()
  const priced = Object.values(data).filter(Boolean).length
  check('batch', [Object.keys(data).length, priced, meta.requests, meta.credits.charged], [120, 5, 3, 1500])
  await client.close()
}

export async function retryAfter({ createClient }: ScenarioContext): Promise<void> {
  const client = createClient({ apiKey: keys.retry })
  const startedAt = Date.now()
  const { data, meta } = await client.etn.price().withMeta()
  const seen = { usd: typeof data.usd, attempts: meta.attempts, waited: Date.now() - startedAt >= 990 }
  check('retry', seen, { usd: 'string', attempts: 2, waited: true })
  await client.close()
}

export async function budgetExceeded({ market, createClient }: ScenarioContext): Promise<void> {
  const client = createClient({ apiKey: keys.budget, budget: { credits: 40 } })
  const error = await rejection(client.token.price({ address: BOLT }))
  check('budget', error instanceof market.BudgetExceededError && [error.name, error.needed], [
    'BudgetExceededError',
    50,
  ])
  await client.close()
}

export async function abortWhileWaiting({ createClient }: ScenarioContext): Promise<void> {
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

export async function lostResponse({ market, createClient }: ScenarioContext): Promise<void> {
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
export async function mismatchedResponse({ market, createClient }: ScenarioContext): Promise<void> {
  const client = createClient({ apiKey: keys.mismatch, validate: 'strict' })
  const error = await rejection(client.etn.price())
  const { name, credits, issues } = error as ResponseError
  const seen = [error instanceof market.ResponseError, name, credits, issues?.map(({ path }) => path)]
  check('mismatch', seen, [true, 'ResponseError', 25, ['data.usd']])
  await client.close()
}

export async function closing({ market, createClient }: ScenarioContext): Promise<void> {
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
