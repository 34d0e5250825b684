import type { Client, ClientOptions } from 'etn-market'

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
export interface ScenarioContext {
  readonly market: Market
  /** Creates a client whose requests and credits count towards the report. */
  createClient(options: ClientOptions): Client
}
