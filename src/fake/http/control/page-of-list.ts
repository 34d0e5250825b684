import { asNumber } from '../../rules/check-options.ts'
import type { Fields } from './command.ts'

/** The part of a list that `after`, `last` and `limit` ask for. */
export function page<T>(all: T[], idOf: (one: T) => number, { limit, after, last }: Fields): T[] {
  const from = after === undefined ? all : all.filter((one) => idOf(one) > asNumber('after', Number(after), 0))
  const newest = last === undefined ? from : from.slice(-asNumber('last', Number(last), 1))
  return limit === undefined ? newest : newest.slice(0, asNumber('limit', Number(limit), 1))
}
