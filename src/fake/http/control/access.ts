import { show } from '../../rules/check-options.ts'

/** What decides about a control request. */
export interface Access {
  /** Sent as `x-fake-control-token`; with it, requests may come from anywhere. */
  controlToken: string | undefined
}

/** The header of the control token. */
export const TOKEN_HEADER = 'x-fake-control-token'

/**
 * Why a control request is rejected; `undefined` if it is allowed. What is public (the page, its script, whether the fake runs) needs no
 * token and may come from another machine; but without a token, a `Host` that is not this machine is foreign there, too.
 */
export function rejectAccess(
  request: Request,
  remoteAddress: string | undefined,
  { controlToken }: Access,
  isPublic: boolean,
): string | undefined {
  const foreign = rejectForeignPage(request)
  if (foreign) return foreign
  if (controlToken !== undefined) {
    if (isPublic || request.headers.get(TOKEN_HEADER) === controlToken) return undefined
    return `The header ${TOKEN_HEADER} is missing or wrong.`
  }
  if (isPublic) return isLoopback(remoteAddress) ? rejectForeignHost(request) : undefined
  if (!isLoopback(remoteAddress))
    return 'Only programs on this machine may control the fake, unless it has a controlToken.'
  return rejectForeignHost(request)
}

/** Rejects pages of other origins: only the page of the fake may use the control routes. */
function rejectForeignPage({ headers }: Request): string | undefined {
  const origin = headers.get('origin')
  const site = headers.get('sec-fetch-site')
  const isOwn = origin === null || origin === `http://${headers.get('host')}`
  if (isOwn && (site === null || site === 'same-origin' || site === 'none')) return undefined
  return 'Pages of other origins may not control the fake.'
}

/** Rejects a `Host` that is not this machine, because a foreign name may resolve to it (DNS rebinding). */
function rejectForeignHost({ headers }: Request): string | undefined {
  const host = headers.get('host') ?? ''
  if (/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i.test(host)) return undefined
  return `The Host ${show(host)} is not this machine: use localhost or 127.0.0.1, or a controlToken.`
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && (/^(::ffff:)?127\./.test(address) || address === '::1')
}
