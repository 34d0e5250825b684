/**
 * The proxy for pages: keeps the key on your server, and buys each answer once for all visitors.
 *
 * @module etn-market/proxy
 */

export { createProxy } from './proxy.ts'
export type * from './status-types.ts'
export type * from './types.ts'
