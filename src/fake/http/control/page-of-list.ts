import type { Schema } from '../../rules/check-schema.ts'
import { count, numberFrom1 } from '../../rules/schemas.ts'
import type { Fields } from './command.ts'

/** The query parameters of a list. */
export const PAGE: Record<string, Schema> = { limit: numberFrom1, after: count, last: numberFrom1 }

/** The part of a list that `after`, `last` and `limit` ask for. */
export function page<T>(all: T[], idOf: (one: T) => number, fields: Fields): T[] {
  const { limit, after, last } = fields as { limit?: number; after?: number; last?: number }
  const from = after === undefined ? all : all.filter((one) => idOf(one) > after)
  const newest = last === undefined ? from : from.slice(-last)
  return limit === undefined ? newest : newest.slice(0, limit)
}
