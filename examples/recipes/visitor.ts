const encoder = new TextEncoder()

/** Read when it is needed: a build has no secret. */
function readSecret(): Promise<CryptoKey> {
  const secret = process.env.SESSION_SECRET
  if (!secret) throw new Error('Set SESSION_SECRET to a long random text.')
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  return crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign', 'verify'])
}

/** The cookie of a new visitor. Set it with the page. */
export async function newVisitorCookie(): Promise<string> {
  const id = crypto.randomUUID()
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', await readSecret(), encoder.encode(id)))
  const hex = Array.from(signature, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return `visitor=${id}.${hex}; Path=/; HttpOnly; Secure; SameSite=Strict; Max-Age=31536000`
}

/** The visitor of a request; undefined without a cookie that was signed here. */
export async function visitorOf(request: Pick<Request, 'headers'>): Promise<string | undefined> {
  const [, id, hex] = /(?:^|; )visitor=([\w-]{36})\.([0-9a-f]{64})/.exec(request.headers.get('cookie') ?? '') ?? []
  if (id === undefined || hex === undefined) return undefined
  const signature = Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
  return (await crypto.subtle.verify('HMAC', await readSecret(), signature, encoder.encode(id))) ? id : undefined
}
