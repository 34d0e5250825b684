import { inspect } from 'node:util'

/** Every common text form of a value, joined. */
export function allRepresentations(value: unknown, depth = 0): string {
  const texts = [inspect(value, { depth: 12, showHidden: true, getters: true }), String(value), json(value)]
  if (value instanceof Error && depth < 6) {
    texts.push(value.stack ?? '', value.message, json({ ...value }), json(Object.getOwnPropertyDescriptors(value)))
    texts.push(allRepresentations(value.cause, depth + 1))
    if ('errors' in value && Array.isArray(value.errors))
      texts.push(...value.errors.map((error) => allRepresentations(error, depth + 1)))
  }
  return texts.join('\n')
}

export function json(value: unknown): string {
  const seen = new Set<unknown>()
  return (
    JSON.stringify(value, (_, item: unknown) => {
      if (typeof item === 'bigint' || typeof item === 'symbol') return String(item)
      if (typeof item !== 'object' || item === null) return item
      if (seen.has(item)) return '[again]'
      seen.add(item)
      return item
    }) ?? ''
  )
}
