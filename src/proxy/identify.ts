import { refuse } from './refusal.ts'
import type { ProxyOptions } from './types.ts'

/** Bounds the memory of 100,000 visitors. */
const MAX_LENGTH = 256

/** Asks who a visitor is. Without a function all visitors are one. */
export function createIdentify(visitor: ProxyOptions['visitor']): (request: Request) => Promise<string> {
  return async (request) => {
    if (visitor === undefined) return ''
    const id = await Promise.resolve(request)
      .then(visitor)
      .catch(() => undefined)
    if (typeof id === 'string' && id !== '' && id.length <= MAX_LENGTH) return id
    // What it threw may hold a secret of the caller.
    throw refuse(403, 'no_visitor', 'The visitor is not known.')
  }
}
