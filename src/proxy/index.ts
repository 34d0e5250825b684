export { createProxy } from './proxy.ts'
export type * from './types.ts'
