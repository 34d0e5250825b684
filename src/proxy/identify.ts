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

const ID_LENGTH = 36
/** The id and its signature. */
const VALUE = /^[\w-]{36}\.[0-9a-f]{64}$/
/** They take about 2 MB. */
const MAX_CHECKED = 10_000
const YEAR_SECONDS = 31_536_000

/** A cookie with a random id, signed so that nobody can take the id of somebody else or choose one. */
function createCookieReader({ name = 'visitor', secret }: VisitorCookieOptions) {
  /** Made at the first request: Workers have no random numbers before. */
  const key = once(() => {
    const bytes = secret === undefined ? crypto.getRandomValues(new Uint8Array(32)) : encode(secret)
    return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
  })

  /** Those whose signature was right: to check one takes a third of an answer that was kept. */
  const checked = new Set<string>()

  async function isSigned(value: string): Promise<boolean> {
    const [id = '', signature = ''] = value.split('.')
    const bytes = Uint8Array.from(signature.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
    const isRight = await crypto.subtle.verify('HMAC', await key(), bytes, encode(id))
    if (checked.size >= MAX_CHECKED) checked.clear()
    if (isRight) checked.add(value)
    return isRight
  }

  async function newCookie(id: string, { url, headers }: Request): Promise<string> {
    const signature = new Uint8Array(await crypto.subtle.sign('HMAC', await key(), encode(id)))
    const hex = Array.from(signature, (byte) => byte.toString(16).padStart(2, '0')).join('')
    const isSecure = url.startsWith('https:') || headers.get('x-forwarded-proto') === 'https'
    const attributes = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${YEAR_SECONDS}${isSecure ? '; Secure' : ''}`
    return `${name}=${id}.${hex}; ${attributes}`
  }

  async function identify(request: Request, values: readonly string[]): Promise<Identity> {
    for (const value of values) if (await isSigned(value)) return identityOf(value)
    const visitor = randomId()
    return { visitor, setCookie: await newCookie(visitor, request) }
  }

  return (request: Request): Identity | Promise<Identity> => {
    const cookies = request.headers.get('cookie')?.split('; ') ?? []
    const own = cookies.filter((cookie) => cookie.startsWith(`${name}=`)).map((cookie) => cookie.slice(name.length + 1))
    const values = own.filter((value) => VALUE.test(value))
    const [first = ''] = values
    return checked.has(first) ? identityOf(first) : identify(request, values)
  }
}

const identityOf = (value: string): Identity => ({ visitor: value.slice(0, ID_LENGTH) })
