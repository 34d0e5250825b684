import type { Client } from 'etn-market'
import * as steps from './steps.ts'
import type { Market, ScenarioContext, ScenarioReport } from './types.ts'

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
  for (const [name, step] of Object.entries(steps)) {
    try {
      await step(context)
    } catch (error) {
      return { ...report(), failure: `${name}: ${describe(error)}` }
    }
  }
  return report()
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { name, message, cause } = error
  return `${name}: ${message}${cause === undefined ? '' : ` (${describe(cause)})`}`
}
