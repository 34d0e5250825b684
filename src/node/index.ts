/**
 * For Node.js: a transport on `node:http`, and a store in a file for budgets, caches and sweeps.
 *
 * @module etn-market/node
 */

export { createFileStore, type FileStore, FileStoreError } from '../file-store/file-store.ts'

export type { HttpAgent } from './agent-pool.ts'
export { createNodeTransport, type NodeTransport, type NodeTransportOptions } from './node-transport.ts'
