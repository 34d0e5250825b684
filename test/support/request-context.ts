import type { RequestContext } from '../../src/client/options.ts'

/** What an attempt of a test belongs to, where that does not matter. */
export const REQUEST_CONTEXT: RequestContext = { operation: 'etn.price', callId: '1', attempt: 1 }
