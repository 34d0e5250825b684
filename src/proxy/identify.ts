import { once } from '../utils/once.ts'
import { randomId } from '../utils/runtime.ts'
import { encode, refuse } from './respond.ts'
import type { ProxyOptions, VisitorCookieOptions, VisitorId } from './types.ts'

export interface Identity {
  readonly visitor: string
  /** The cookie of a visitor who has none yet. */
  readonly setCookie?: string
}

/** Bounds the memory of 100,000 visitors. */
const MAX_LENGTH = 256

/** Asks who a visitor is. Without an option all visitors are one. */
export function createIdentify({
  visitor,
  visitorCookie,
}: Pick<ProxyOptions, 'visitor' | 'visitorCookie'>): (request: Request) => Identity | Promise<Identity> {
  if (visitorCookie) return createCookieReader(visitorCookie === true ? {} : visitorCookie)
  if (visitor === undefined) return () => ({ visitor: '' })
  return (request) => {
    let found: VisitorId | Promise<VisitorId>
    try {
      found = visitor(request)
    } catch {
      // What it threw may hold a secret of the caller.
    }
    return typeof found === 'object' && found !== null ? found.then(readId, () => readId(undefined)) : readId(found)
  }
}

/** @throws Refusal for what is no identity */
function readId(id: unknown): Identity {
  if (typeof id === 'string' && id !== '' && id.length <= MAX_LENGTH) return { visitor: id }
  throw refuse(403, 'no_visitor', 'The visitor is not known.')
}

const ID = /^[\w-]{36}$/
const SIGNATURE = /^[0-9a-f]{64}$/
const YEAR_SECONDS = 31_536_000

/** A cookie with a random id, signed so that nobody can take the id of somebody else or choose one. */
function createCookieReader({ name = 'visitor', secret }: VisitorCookieOptions) {
  /** Made at the first request: Workers have no random numbers before. */
  const key = once(() => {
    const bytes = secret === undefined ? crypto.getRandomValues(new Uint8Array(32)) : encode(secret)
    return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
  })

  async function isSigned(id: string, signature: string): Promise<boolean> {
    if (!ID.test(id) || !SIGNATURE.test(signature)) return false
    const bytes = Uint8Array.from(signature.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
    return crypto.subtle.verify('HMAC', await key(), bytes, encode(id))
  }

  async function newCookie(id: string, { url, headers }: Request): Promise<string> {
    const signature = new Uint8Array(await crypto.subtle.sign('HMAC', await key(), encode(id)))
    const hex = Array.from(signature, (byte) => byte.toString(16).padStart(2, '0')).join('')
    const isSecure = url.startsWith('https:') || headers.get('x-forwarded-proto') === 'https'
    const attributes = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${YEAR_SECONDS}${isSecure ? '; Secure' : ''}`
    return `${name}=${id}.${hex}; ${attributes}`
  }

  return async (request: Request): Promise<Identity> => {
    for (const cookie of request.headers.get('cookie')?.split('; ') ?? []) {
      if (!cookie.startsWith(`${name}=`)) continue
      const [id = '', signature = ''] = cookie.slice(name.length + 1).split('.')
      if (await isSigned(id, signature)) return { visitor: id }
    }
    const visitor = randomId()
    return { visitor, setCookie: await newCookie(visitor, request) }
  }
}
