import { type FakeOperation, fakeOperations, fakeRoutes } from './routes.ts'

/** A path that matches a route. */
export interface RouteMatch {
  operation: FakeOperation
  /** The path parameters by name. */
  path: Record<string, string>
}

const PATTERNS = fakeOperations.map((operation) => ({
  operation,
  parts: fakeRoutes[operation].path.split('/').slice(1),
}))

/**
 * The part of a URL's path after its last `/v1`, or the whole path if it has none. So the same fake answers under any base
 * URL.
 */
export function pathBelowVersion(pathname: string): string {
  const at = `${pathname}/`.lastIndexOf('/v1/')
  return at < 0 ? pathname : pathname.slice(at + 3) || '/'
}

/** Finds the route of a path. A fixed path, for example `/prices/etn`, has precedence over one with parameters. */
export function matchRoute(path: string): RouteMatch | undefined {
  const parts = path.split('/').slice(1)
  for (const pattern of PATTERNS) {
    const found = parts.length === pattern.parts.length ? bind(pattern.parts, parts) : undefined
    if (found) return { operation: pattern.operation, path: found }
  }
  return undefined
}

function bind(pattern: string[], parts: string[]): Record<string, string> | undefined {
  const found: Record<string, string> = {}
  for (let i = 0; i < pattern.length; i++) {
    const expected = pattern[i] ?? ''
    const part = parts[i] ?? ''
    if (expected.startsWith('{')) found[expected.slice(1, -1)] = decode(part)
    else if (expected !== part) return undefined
  }
  return found
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
