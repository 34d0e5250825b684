import { createNodeTransport } from 'etn-market/node'
import { setupServer } from 'msw/node'
import { onTestFinished } from 'vitest'
import type { FakeService } from '../../../src/fake/index.ts'
import { mswHandlers } from '../../../src/msw/index.ts'
import { fetchThrough } from '../../support/fetch-through.ts'
import { makeFake } from '../setup.ts'

/** Where the same fault is played. */
export const SHELLS = ['fetch', 'http', 'node', 'msw'] as const
export type Shell = (typeof SHELLS)[number]

export interface Stage {
  fake: FakeService
  base: string
  fetch: typeof fetch
  /** Asks for the price of ETN and says what came of it. */
  see(init?: RequestInit): Promise<Seen>
}

/** What a caller gets to see. */
export interface Seen {
  /** Name and code of the error when there was no response. */
  rejected?: { name: string; code: unknown }
  status?: number
  headers?: Headers
  text?: string
  /** Name and code of the error when the body did not come whole. */
  broken?: { name: string; code: unknown }
}

export async function stage(shell: Shell, fake = makeFake()): Promise<Stage> {
  const [how, base] = await open(shell, fake)
  const headers = { authorization: `Bearer ${fake.key}` }
  const see = (init?: RequestInit) => look(() => how(`${base}/prices/etn`, { headers, ...init }))
  return { fake, base, fetch: how, see }
}

async function open(shell: Shell, fake: FakeService): Promise<[typeof fetch, string]> {
  if (shell === 'fetch') return [fake.fetch, fake.baseUrl]
  if (shell === 'http') return [fetch, (await fake.listen()).url]
  if (shell === 'node') {
    const transport = createNodeTransport()
    onTestFinished(() => transport.close())
    return [fetchThrough(transport) as unknown as typeof fetch, (await fake.listen()).url]
  }
  const server = setupServer(...mswHandlers(fake))
  server.listen({ onUnhandledRequest: 'error' })
  onTestFinished(() => server.close())
  return [(...request) => fetch(...request), fake.baseUrl]
}

async function look(ask: () => Promise<Response>): Promise<Seen> {
  const response = await ask().catch((error: Error) => error)
  if (response instanceof Error) return { rejected: describeError(response) }
  const { status, headers } = response
  const text = await response.text().catch((error: unknown) => error)
  return typeof text === 'string' ? { status, headers, text } : { status, headers, broken: describeError(text) }
}

function describeError(error: unknown) {
  const { name, cause } = error as Error
  return { name, code: (cause as { code?: unknown } | undefined)?.code }
}
