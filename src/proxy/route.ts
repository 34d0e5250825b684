import { type OperationId, operations } from '../generated/operations.ts'

/** What a path asks for. */
export type Route = OperationRoute | { readonly operation: 'stream' } | { readonly operation: 'status' }

interface OperationRoute {
  readonly operation: OperationId
  readonly params: Readonly<Record<string, string>>
}

interface Template {
  readonly operation: OperationId
  readonly segments: readonly string[]
}

/** `new URL` has resolved `..` and `%2e%2e`; what is still encoded, or holds another separator, is no value of the service. */
const VALUE = /^\w{1,64}$/
const CHAIN = /^\d{1,16}$/

/** Finds the operation of a path. The whole path has to match, so that no part of it can lead elsewhere. */
export function createRouter(basePath: string): (pathname: string) => Route | undefined {
  const templates = (Object.keys(operations) as OperationId[]).map(
    (operation): Template => ({ operation, segments: operations[operation].path.split('/') }),
  )
  return (pathname) => {
    if (!pathname.startsWith(`${basePath}/`)) return undefined
    const path = pathname.slice(basePath.length)
    if (path === '/stream') return { operation: 'stream' }
    if (path === '/_status') return { operation: 'status' }
    const segments = path.split('/')
    for (const template of templates) {
      const params = matchSegments(template.segments, segments)
      if (params !== undefined) return { operation: template.operation, params }
    }
    return undefined
  }
}

function matchSegments(template: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (template.length !== segments.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, expected] of template.entries()) {
    const segment = segments[index] ?? ''
    if (!expected.startsWith('{')) {
      if (segment !== expected) return undefined
      continue
    }
    const name = expected.slice(1, -1)
    if (!(name === 'chainId' ? CHAIN : VALUE).test(segment)) return undefined
    params[name] = segment
  }
  return params
}
