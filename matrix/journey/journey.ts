import type { Client } from 'etn-market'
import * as scenes from './scenes.ts'
import type { Market, Report, Stage } from './types.ts'

/** The journey that every runtime makes. Only web APIs: it does not know where it is. */
export async function journey(market: Market, baseUrl: string): Promise<Report> {
  const startedAt = Date.now()
  const clients: Client[] = []
  let requests = 0
  const stage: Stage = {
    market,
    client(options) {
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
  const report = (): Report => ({
    credits: clients.reduce((sum, { credits }) => sum + credits.charged, 0),
    uncertain: clients.reduce((sum, { budget }) => sum + budget.uncertain, 0),
    requests,
    ms: Date.now() - startedAt,
  })
  for (const [name, scene] of Object.entries(scenes)) {
    try {
      await scene(stage)
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
