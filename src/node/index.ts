export { createFileStore, type FileStore } from '../file-store/file-store.ts'
export { FileStoreError } from '../file-store/file-store-error.ts'
export type { HttpAgent } from './agent-pool.ts'
export { createNodeTransport, type NodeTransport, type NodeTransportOptions } from './node-transport.ts'
