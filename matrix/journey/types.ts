import type { Client, ClientEvent, ClientOptions } from 'etn-market'

/** What a runtime loaded as 'etn-market', by import or by require. */
export type Market = typeof import('etn-market')

/** What a journey ran into, for the runner to hold against the service's own ledger. */
export interface Report {
  /** What the clients know to have been charged. */
  credits: number
  /** What may have been charged without an answer that tells. */
  uncertain: number
  /** Requests that the clients say they sent. */
  requests: number
  ms: number
  /** What went wrong, where something did. */
  failure?: string
}

/** What a scene is played with. */
export interface Stage {
  readonly market: Market
  /** A client of this journey; what it sends and is charged counts towards the report. */
  client(options: ClientOptions): Client
}

export type Listener = (event: ClientEvent) => void
