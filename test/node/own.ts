import { createNodeFetch, type NodeFetch } from 'etn-market/node'
import { afterEach, beforeEach } from 'vitest'
import type { RawServer } from './raw-server.ts'

/** What each test has of its own; both are closed after it. */
export interface Own {
  fetch: NodeFetch
  /** Set by the test, once it has started one. */
  server: RawServer
}

export function forEachTest(): Own {
  const own = {} as Own
  beforeEach(() => {
    own.fetch = createNodeFetch()
  })
  afterEach(async () => {
    await own.fetch.close()
    own.server?.close()
  })
  return own
}
