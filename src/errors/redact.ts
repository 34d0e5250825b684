/** Keeps secrets out of everything that leaves a client, in one place. */
export interface Redactor {
  /** From now on this text appears nowhere. */
  add(secret: string): void
  text(value: string): string
  /** Takes the secrets out of an error, its body and everything that it was caused by, in place where that is possible. */
  error<T>(error: T): T
}

const REPLACEMENT = '[redacted]'
/** Shorter "keys" would black out ordinary words. */
const SHORTEST_SECRET = 4
/** A client whose keys rotate does not remember them for ever. */
const MOST_SECRETS = 100

export function createRedactor(): Redactor {
  const secrets = new Set<string>()
  let pattern: RegExp | undefined
  const text = (value: string): string => (pattern === undefined ? value : value.replace(pattern, REPLACEMENT))

  function value(dirty: unknown, seen: Map<object, unknown>): unknown {
    if (typeof dirty === 'string') return text(dirty)
    if (typeof dirty !== 'object' || dirty === null) return dirty
    const known = seen.get(dirty)
    if (known !== undefined) return known
    if (Array.isArray(dirty)) {
      const copy: unknown[] = []
      seen.set(dirty, copy)
      for (const item of dirty) copy.push(value(item, seen))
      return copy
    }
    if (dirty instanceof Error) return ownError(dirty, seen)
    if (Object.getPrototypeOf(dirty) !== Object.prototype && Object.getPrototypeOf(dirty) !== null)
      return foreign(dirty)
    const copy: Record<string, unknown> = {}
    seen.set(dirty, copy)
    for (const [key, item] of Object.entries(dirty)) copy[text(key)] = value(item, seen)
    return copy
  }

  /** An object of a class that we do not know, such as a Request with its headers: only harmless ones are kept. */
  function foreign(dirty: object): unknown {
    if (dirty instanceof Date || dirty instanceof Map || dirty instanceof Set) return String(dirty)
    return `[${dirty.constructor?.name ?? 'object'}]`
  }

  function ownError(error: Error, seen: Map<object, unknown>): Error {
    seen.set(error, error)
    for (const key of Reflect.ownKeys(error)) {
      const descriptor = Object.getOwnPropertyDescriptor(error, key)
      if (descriptor === undefined || !('value' in descriptor)) continue
      const clean = value(descriptor.value, seen)
      if (clean === descriptor.value) continue
      try {
        Object.defineProperty(error, key, { ...descriptor, value: clean })
      } catch {
        return replacement(error, seen)
      }
    }
    return hasSecretGetter(error) ? replacement(error, seen) : error
  }

  /** DOMException keeps its message where nobody can change it. */
  function hasSecretGetter(error: Error): boolean {
    return [error.message, error.stack, error.name].some((part) => typeof part === 'string' && text(part) !== part)
  }

  function replacement(error: Error, seen: Map<object, unknown>): Error {
    const clean = new Error(text(error.message))
    clean.name = text(error.name)
    seen.set(error, clean)
    if (error.cause !== undefined) clean.cause = value(error.cause, seen)
    return clean
  }

  return {
    add(secret) {
      if (secret.length < SHORTEST_SECRET) return
      const [oldest] = secrets
      if (!secrets.has(secret) && secrets.size >= MOST_SECRETS && oldest !== undefined) secrets.delete(oldest)
      secrets.add(secret)
      pattern = patternOf(secrets)
    },
    text,
    error: (error) => (secrets.size === 0 ? error : (value(error, new Map()) as typeof error)),
  }
}

/** Any of the secrets, the longest first, also as JSON and URLs spell them; in any case of letters, as error codes are lower-cased. */
function patternOf(secrets: ReadonlySet<string>): RegExp {
  const spellings = [...secrets].flatMap((secret) => [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
  ])
  const longestFirst = [...new Set(spellings)].sort((one, other) => other.length - one.length)
  return new RegExp(longestFirst.map((spelling) => spelling.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'gi')
}
