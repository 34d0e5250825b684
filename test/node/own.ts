import { createNodeTransport, type NodeTransport } from 'etn-market/node'
import { afterEach, beforeEach } from 'vitest'
import { fetchThrough } from '../support/fetch-through.ts'
import type { RawServer } from './raw-server.ts'

/** What each test has of its own; transport and server are closed after it. */
export interface Own {
  transport: NodeTransport
  fetch: ReturnType<typeof fetchThrough>
  /** Set by the test, once it has started one. */
  server: RawServer
}

export function forEachTest(): Own {
  const own = {} as Own
  beforeEach(() => {
    own.transport = createNodeTransport()
    own.fetch = fetchThrough(own.transport)
  })
  afterEach(async () => {
    await own.transport.close()
    own.server?.close()
  })
  return own
}
