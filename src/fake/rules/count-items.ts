import type { ParsedQuery } from './parse-query.ts'
import { type FakeOperation, fakeRoutes } from './routes.ts'

/** The number of items that are charged for an answer. */
export function countItems(operation: FakeOperation, data: unknown, { addresses }: ParsedQuery): number {
  if (operation === 'prices.batch') return addresses.length
  if (fakeRoutes[operation].perItem === 0) return 0
  if (Array.isArray(data)) return data.length
  // Without validation a stub may return anything.
  const { balances } = Object(data) as { balances?: object | null }
  return Object.keys(balances ?? {}).length
}
