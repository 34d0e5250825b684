import { check } from '../../scenario/check.ts'
import { KEY, PARTNER, VISITOR_CREDITS } from '../settings.ts'
import { ADDRESSES, BOLT, codeOf, priceOf, type VisitContext } from './context.ts'

export async function aPrice({ ask }: VisitContext): Promise<void> {
  const { status, headers, text } = await ask(priceOf(BOLT), 'price')
  const seen = [status, headers.get('x-credits-cost'), headers.get('x-credits-remaining')]
  check('price', [...seen, typeof JSON.parse(text).data.usd], [200, '50', `${VISITOR_CREDITS - 50}`, 'string'])
}

export async function aCachedAnswer({ ask }: VisitContext): Promise<void> {
  const cached = await ask(priceOf(BOLT), 'cached')
  check('cached', [cached.status, cached.headers.get('x-credits-cost')], [200, '0'])
  const etag = cached.headers.get('etag') ?? ''
  const known = await ask(priceOf(BOLT), 'cached', { headers: { 'if-none-match': etag } })
  const cost = known.headers.get('x-credits-cost')
  check('known', [known.status, known.headers.get('etag'), cost, known.text], [304, etag, '0', ''])
  const head = await ask(priceOf(BOLT), 'cached', { method: 'HEAD' })
  check('HEAD', [head.status, head.headers.get('etag'), head.text], [200, etag, ''])
}

export async function aPageBuysABatch({ page, service }: VisitContext): Promise<void> {
  const before = (await service.ledger()).length
  const client = page('batch')
  const { data, meta } = await client.prices.batch({ addresses: ADDRESSES }).withMeta()
  const priced = Object.values(data).filter((price) => typeof price?.usd === 'string').length
  check('batch', [priced, meta.credits.charged, meta.credits.source], [5, 150, 'header'])
  await client.close()
  const charges = (await service.ledger()).slice(before).map(({ operation, credits }) => [operation, credits])
  check('ledger of the batch', charges, [['prices.batch', 150]])
}

const TRAVERSALS = [
  '/tokens/52014/..%2fme',
  '/tokens/52014/..%2f..%2fme',
  '/tokens/52014/%2e%2e/me',
  '/tokens/52014/%2e%2e/%2e%2e/me',
  '/tokens/52014/../../me',
  '/tokens/52014/..%5c..%5cme',
  '/tokens/52014/%252e%252e/me',
  '/../market/me',
  '/../../me',
  '//me',
]

export async function traversal({ askRaw, service }: VisitContext): Promise<void> {
  const before = (await service.journal()).length
  for (const path of TRAVERSALS) {
    const status = await askRaw(path, 'traversal')
    // Servers and routers before the proxy refuse some of them in their own way, or redirect to the path that is meant.
    if (![308, 400, 403, 404].includes(status)) throw new Error(`${path} is answered with ${status}`)
  }
  check('requests after traversal', (await service.journal()).length, before)
  // The same way of asking works for a path that is allowed.
  check('a plain path', await askRaw(priceOf(BOLT), 'traversal'), 200)
}

export async function origins({ ask, origin }: VisitContext): Promise<void> {
  const foreign = await ask(priceOf(BOLT), 'origin', { headers: { origin: 'https://foreign.example' } })
  check('foreign origin', [foreign.status, codeOf(foreign)], [403, 'not_allowed'])
  const own = await ask(priceOf(BOLT), 'origin', { headers: { origin } })
  check('own origin', own.status, 200)
  const partner = await ask(priceOf(BOLT), 'origin', { headers: { origin: PARTNER } })
  check('partner', [partner.status, partner.headers.get('access-control-allow-origin')], [200, PARTNER])
  const headers = { origin: PARTNER, 'access-control-request-method': 'GET' }
  const preflight = await ask(priceOf(BOLT), 'origin', { method: 'OPTIONS', headers })
  const seen = [preflight.status, preflight.headers.get('access-control-allow-origin')]
  check('preflight', seen, [204, PARTNER])
}

export async function refusals({ ask }: VisitContext): Promise<void> {
  const post = await ask(priceOf(BOLT), 'refused', { method: 'POST', body: '{}' })
  const allow = post.headers.get('allow')
  check('POST', [post.status, codeOf(post), allow], [405, 'method_not_allowed', 'GET, HEAD, OPTIONS'])
  const nobody = await ask(priceOf(BOLT), '')
  check('no visitor', [nobody.status, codeOf(nobody)], [403, 'no_visitor'])
}

/** The service names the key in an error. */
export async function theServiceNamesTheKey({ ask, service }: VisitContext): Promise<void> {
  const error = { code: `${KEY}_refused`, message: `The key ${KEY} is refused.` }
  await service.reset([
    { operation: 'token.get', status: 400, body: { error } },
    { operation: 'etn.price', status: 401, body: { error } },
  ])
  const invalid = await ask(`/tokens/52014/${ADDRESSES[0]}`, 'key', { headers: { authorization: 'Bearer esk_page' } })
  check('400 of the service', invalid.status, 400)
  if (!invalid.text.includes('is refused')) throw new Error(`The message is lost: ${invalid.text}`)
  const refused = await ask('/prices/etn', 'key')
  check('401 of the service', [refused.status, codeOf(refused)], [502, 'upstream_refused'])
  check('keys in the journal', [...new Set((await service.journal()).map(({ key }) => key))], [KEY])
}

/** Has to be the last step. */
export async function theKeyIsInNoAnswer({ received }: VisitContext): Promise<void> {
  const text = received.join('\n')
  for (const spelling of [KEY, JSON.stringify(KEY).slice(1, -1), encodeURIComponent(KEY), KEY.slice(-8)])
    if (text.includes(spelling)) throw new Error(`An answer holds ${spelling}.`)
  check('answers are read', received.length > 20, true)
}
