/**
 * The proxy for pages: keeps the key on your server, and buys each answer once for all visitors.
 *
 * @module etn-market/proxy
 */

export { type NodeRequest, type NodeResponse, toNodeHandler } from './node-handler.ts'
export { createProxy } from './proxy.ts'
export type * from './types.ts'
