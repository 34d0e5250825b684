import { setMaxListeners } from 'node:events'
import type { Clock } from 'etn-market'
import { busy, costs, cutOff, html, limited, networkError, ok, price, refusal, tokens } from './answers.ts'
import type { Exchange } from './script.ts'
import { address } from './setup.ts'

/** What the service does with a request. */
export interface Behaviour {
  readonly how:
    | 'ok'
    | 'limited'
    | 'busy'
    | 'error'
    | 'lost'
    | 'refused'
    | 'cut'
    | 'cut with header'
    | 'gateway'
    | 'never'
    | 'not found'
    | 'page'
  readonly latencyMs: number
  readonly retryAfter: string | undefined
}

const MINUTE = 60_000
const MAX_REFUSALS = 15
/** A wait that the service asks for parks others for this long at most. */
const MAX_COOLDOWN_MS = 60_000

interface Entry {
  readonly exchange: Exchange
  readonly behaviour: Behaviour
  readonly at: number
  readonly key: string
  readonly cost: number
  readonly client: number
}

/** A service with a ledger of its own, which notes what a client must not do. */
export function createMeteredService(clock: Clock, behaviours: readonly Behaviour[], windowMs: number) {
  const entries = new Map<Exchange, Entry>()
  const breaches: string[] = []
  const charged = new Map<number, number>()
  /** Charges that the client knows from a header, or can compute. */
  let stated = 0
  let total = 0
  /** Until when nothing may arrive, by key or `heavy`, for each client. */
  const cooldowns = new Map<string, { from: number; until: number }>()
  const firstRefusal = new Map<string, { last: number; exempt: Set<Exchange> }>()
  const stopping = new AbortController()
  setMaxListeners(0, stopping.signal)

  const isHeavy = ({ url }: Pick<Exchange, 'url'>) => /liquidity-locks|farms/.test(url.pathname)
  const isFree = ({ url }: Pick<Exchange, 'url'>) => url.pathname.endsWith('/me')
  const keyOf = ({ headers }: Exchange) => headers.get('authorization') ?? ''

  function costOf({ url }: Exchange): number {
    const { pathname, searchParams } = url
    if (pathname.endsWith('/me')) return 0
    if (pathname.includes('new/route')) return 70
    if (pathname.includes('liquidity-locks')) return 2_000
    if (pathname.includes('farms')) return 3_000
    if (pathname.includes('/tokens/')) return 100 + 5 * Number(searchParams.get('limit'))
    const list = searchParams.get('addresses')
    return list === null ? 50 : 100 + 10 * list.split(',').length
  }

  function bodyOf({ url }: Exchange): unknown {
    const { pathname, searchParams } = url
    if (pathname.endsWith('/me')) return { credits: 1_000_000, tier: 'free' }
    if (/liquidity-locks|farms/.test(pathname)) return []
    if (pathname.includes('/tokens/')) return tokens(Number(searchParams.get('limit')))
    return searchParams.has('addresses') ? {} : price(address(1))
  }

  const isExecuted = ({ how }: Behaviour) => ['ok', 'lost', 'cut', 'cut with header', 'gateway', 'never'].includes(how)

  function checkCooldown({ exchange, key, client }: Entry): void {
    const at = clock.monotonic()
    const scopes = [`${client} ${key}`, ...(isHeavy(exchange) ? [`${client} heavy`] : [])]
    for (const scope of scopes) {
      const { from, until } = cooldowns.get(scope) ?? { from: 0, until: 0 }
      if (at > from && at < until) breaches.push(`sent during the cool-down of ${scope}`)
    }
  }

  /** Refusals of the last minute and requests in flight, without those sent before the first refusal was known. */
  function checkRefusals({ key, client, at }: Entry): void {
    const known = firstRefusal.get(`${client} ${key}`)
    if (known === undefined || at - known.last > MINUTE) return
    const counted = [...entries.values()].filter((entry) => {
      if (entry.key !== key || entry.client !== client || known.exempt.has(entry.exchange)) return false
      return entry.behaviour.how === 'limited' ? at - entry.at < MINUTE : entry.exchange.open
    })
    if (counted.length > MAX_REFUSALS) breaches.push(`${counted.length} refusals and requests in flight on ${key}`)
  }

  function startCooldown(entry: Entry, scope: string): void {
    const { retryAfter } = entry.behaviour
    const waitMs = retryAfter === undefined ? 0 : Math.max(500, Number(retryAfter) * 1_000)
    const from = clock.monotonic()
    const until = from + Math.min(waitMs, MAX_COOLDOWN_MS)
    const name = `${entry.client} ${scope}`
    if (until > (cooldowns.get(name)?.until ?? 0)) cooldowns.set(name, { from, until })
  }

  /** The answer, the error of a broken connection, or undefined for none. */
  function replyTo(entry: Entry): Response | Error | undefined {
    const { exchange, behaviour, cost } = entry
    const headers = behaviour.retryAfter === undefined ? {} : { 'retry-after': behaviour.retryAfter }
    const charge = isFree(exchange) ? {} : costs(cost)
    switch (behaviour.how) {
      case 'ok':
        stated += cost
        return ok(bodyOf(exchange), charge)
      case 'cut with header':
        stated += cost
        return cutOff(charge)
      case 'cut':
        return cutOff()
      case 'lost':
        return networkError('ECONNRESET')
      case 'refused':
        return networkError('ECONNREFUSED')
      case 'gateway':
        return html(504)
      case 'page':
        return html(200)
      case 'not found':
        return refusal(404, 'not_found')
      case 'error':
        return refusal(500, 'internal', headers)
      case 'busy':
        if (isHeavy(exchange)) startCooldown(entry, 'heavy')
        return busy(headers)
      case 'limited':
        noteRefusal(entry)
        return limited(headers)
      case 'never':
        return undefined
    }
  }

  function noteRefusal(entry: Entry): void {
    const name = `${entry.client} ${entry.key}`
    const known = firstRefusal.get(name)
    const isFirst = known === undefined || clock.now() - known.last > MINUTE
    firstRefusal.set(name, { last: clock.now(), exempt: isFirst ? new Set(entries.keys()) : known.exempt })
    startCooldown(entry, entry.key)
  }

  function deliver(entry: Entry): void {
    const { exchange } = entry
    const reply = exchange.open ? replyTo(entry) : undefined
    if (reply instanceof Error) exchange.fail(reply)
    else if (reply !== undefined) exchange.answer(reply)
  }

  const service = {
    breaches,
    isHeavy,
    clientOf: (exchange: Exchange) => entries.get(exchange)?.client,
    /** Credits that the client knows of. */
    stated: () => stated,
    /** Credits whose answer was lost. */
    hidden: () => total - stated,
    /** Credits charged in each window in which the request was sent. */
    windows: (): ReadonlyMap<number, number> => charged,
    note(exchange: Exchange, client: number): void {
      const behaviour = behaviours[entries.size % behaviours.length] as Behaviour
      const at = clock.now()
      const cost = costOf(exchange)
      const entry: Entry = { exchange, behaviour, at, key: keyOf(exchange), cost, client }
      entries.set(exchange, entry)
      checkCooldown(entry)
      checkRefusals(entry)
      if (!isExecuted(behaviour)) return
      const window = Math.floor(at / windowMs)
      charged.set(window, (charged.get(window) ?? 0) + cost)
      total += cost
    },
    receive(exchange: Exchange): undefined {
      const entry = entries.get(exchange) as Entry
      if (entry.behaviour.latencyMs === 0) queueMicrotask(() => deliver(entry))
      else
        clock.sleep(entry.behaviour.latencyMs, stopping.signal).then(
          () => deliver(entry),
          () => {},
        )
      return undefined
    },
    /** Leaves no timer behind. */
    stop: () => stopping.abort(),
  }
  return service
}
