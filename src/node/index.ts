export type { HttpAgent } from './agent-pool.ts'
export { createNodeTransport, type NodeTransport, type NodeTransportOptions } from './node-transport.ts'
