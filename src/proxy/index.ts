export { createProxy } from './proxy.ts'
export type * from './status-types.ts'
export type * from './types.ts'
