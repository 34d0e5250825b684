/** A client that the bench measures. Its file stands beside this one. */
export interface Contender {
  readonly id: string
  readonly title: string
  readonly file: string
  /** Its packages in `test/bench/package.json`; none if it is part of Node. */
  readonly packages?: readonly string[]
  /** The script that loads it in a page. */
  readonly pageScript?: string
}

/** The baseline of every comparison. */
export const BARE = 'fetch'
/** The second baseline of the CPU comparison. */
export const PLAIN = 'plain-composition'
export const OURS = 'etn-market'
export const OURS_ON_NODE = 'etn-market-node'

export const contenders: readonly Contender[] = [
  { id: BARE, title: 'bare fetch', file: 'fetch.mjs' },
  // The same client twice: the distance of its ratio from 1 is noise.
  { id: 'control', title: 'bare fetch again (A/A control)', file: 'fetch.mjs' },
  { id: 'fetch-timer', title: 'bare fetch, AbortController and timer', file: 'fetch-timer.mjs' },
  { id: 'node-http', title: 'node:http, keep-alive', file: 'node-http.mjs' },
  { id: 'undici', title: 'undici.request', file: 'undici.mjs', packages: ['undici'] },
  { id: 'ky', title: 'ky', file: 'ky.mjs', packages: ['ky'], pageScript: `export { default } from 'ky'` },
  {
    id: PLAIN,
    title: 'plain composition',
    file: 'plain-composition.mjs',
    packages: ['ky', 'p-retry', 'zod'],
    pageScript: `export { connect } from './contenders/plain-composition.mjs'`,
  },
  {
    id: 'ofetch',
    title: 'ofetch',
    file: 'ofetch.mjs',
    packages: ['ofetch'],
    pageScript: `export { ofetch } from 'ofetch'`,
  },
  {
    id: 'openapi-fetch',
    title: 'openapi-fetch',
    file: 'openapi-fetch.mjs',
    packages: ['openapi-fetch'],
    pageScript: `export { default } from 'openapi-fetch'`,
  },
  {
    id: 'axios',
    title: 'axios',
    file: 'axios.mjs',
    packages: ['axios'],
    pageScript: `export { default } from 'axios'`,
  },
  {
    id: 'coingecko',
    title: '@coingecko/coingecko-typescript',
    file: 'coingecko.mjs',
    packages: ['@coingecko/coingecko-typescript'],
    pageScript: `export { default } from '@coingecko/coingecko-typescript'`,
  },
  { id: OURS, title: 'etn-market', file: 'etn-market.mjs', pageScript: `export { createClient } from 'etn-market'` },
  { id: OURS_ON_NODE, title: 'etn-market, Node transport', file: 'etn-market-node.mjs' },
]
