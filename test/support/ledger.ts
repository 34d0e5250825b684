import { costs, cutOff, html, limited, networkError, ok, price, refusal, stalled, tokens, wait } from './answers.ts'
import type { Exchange } from './script.ts'
import { address } from './setup.ts'

/** How the service treats a request: whether it charges, and what arrives at the client. */
export type Answer =
  | 'ok'
  | 'silent'
  | 'cut'
  | 'cut with header'
  | 'stalled'
  | 'lost'
  | 'refused'
  | 'gateway'
  | '404'
  | '429'
  | '500'
  | 'garbled'
  | 'never'

/** What the service charges for a request that it executes, computed without the client. */
export function chargeFor({ url }: Exchange): number {
  if (url.pathname.includes('/tokens/')) return 100 + 5 * Number(url.searchParams.get('limit'))
  if (url.pathname.includes('/balances/')) return 800 + 10 * 3
  const list = url.searchParams.get('addresses')
  return list === null ? 50 : 100 + 10 * list.split(',').length
}

function bodyFor({ url }: Exchange): unknown {
  if (url.pathname.includes('/tokens/')) return tokens(Number(url.searchParams.get('limit')))
  if (url.pathname.includes('/balances/')) return { address: address(1), updated: 1, balances: { a: {}, b: {}, c: {} } }
  return url.searchParams.has('addresses') ? {} : price(address(1))
}

/** Answers a request and returns the charge. */
export function serve(exchange: Exchange, how: Answer): number {
  const cost = chargeFor(exchange)
  const executed: Partial<Record<Answer, () => void>> = {
    ok: () => exchange.answer(ok(bodyFor(exchange), costs(cost))),
    silent: () => exchange.answer(ok(bodyFor(exchange))),
    cut: () => exchange.answer(cutOff()),
    'cut with header': () => exchange.answer(cutOff(costs(cost))),
    stalled: () => exchange.answer(stalled()),
    lost: () => exchange.fail(networkError('ECONNRESET')),
    gateway: () => exchange.answer(html(504)),
    garbled: () => exchange.answer(new Response('{', { headers: { 'x-credits-cost': `${cost}, ${cost}` } })),
    never: () => {},
  }
  const run = executed[how]
  if (run !== undefined) {
    run()
    return cost
  }
  if (how === 'refused') exchange.fail(networkError('ECONNREFUSED'))
  else if (how === '404') exchange.answer(refusal(404, 'not_found'))
  else if (how === '429') exchange.answer(limited(wait(2)))
  else exchange.answer(refusal(500, 'internal'))
  return 0
}
