/** A client that the workloads are measured with, in a file of its own beside this one. */
export interface Contender {
  readonly id: string
  readonly title: string
  readonly file: string
  /** Its package in `bench/package.json`, if it is not Node's own. */
  readonly peer?: string
  /** What a page takes of it. */
  readonly page?: string
}

/** The measure of all others. */
export const BARE = 'fetch'
export const OURS = 'etn-market'
export const OURS_ON_NODE = 'etn-market-node'

export const contenders: readonly Contender[] = [
  { id: BARE, title: 'bare fetch', file: 'fetch.mjs' },
  // The same once more: how far its ratio is from 1 is what chance does.
  { id: 'control', title: 'bare fetch again (A/A control)', file: 'fetch.mjs' },
  { id: 'fetch-timer', title: 'bare fetch, AbortController and timer', file: 'fetch-timer.mjs' },
  { id: 'node-http', title: 'node:http, keep-alive', file: 'node-http.mjs' },
  { id: 'undici', title: 'undici.request', file: 'undici.mjs', peer: 'undici' },
  { id: 'ky', title: 'ky', file: 'ky.mjs', peer: 'ky', page: `export { default } from 'ky'` },
  { id: 'ofetch', title: 'ofetch', file: 'ofetch.mjs', peer: 'ofetch', page: `export { ofetch } from 'ofetch'` },
  {
    id: 'openapi-fetch',
    title: 'openapi-fetch',
    file: 'openapi-fetch.mjs',
    peer: 'openapi-fetch',
    page: `export { default } from 'openapi-fetch'`,
  },
  { id: 'axios', title: 'axios', file: 'axios.mjs', peer: 'axios', page: `export { default } from 'axios'` },
  {
    id: 'coingecko',
    title: '@coingecko/coingecko-typescript',
    file: 'coingecko.mjs',
    peer: '@coingecko/coingecko-typescript',
    page: `export { default } from '@coingecko/coingecko-typescript'`,
  },
  { id: OURS, title: 'etn-market', file: 'etn-market.mjs', page: `export { createClient } from 'etn-market'` },
  { id: OURS_ON_NODE, title: 'etn-market, Node transport', file: 'etn-market-node.mjs' },
]
