import { type Client, createBudget, createClient, EtnMarketError } from 'etn-market'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CallEndedEvent } from '../../src/client/events.ts'
import { createVirtualClock, flush, START } from '../support/clock.ts'
import { type Behaviour, createMeteredService } from '../support/metered-service.ts'
import { type Drawn, testProperty, weighted } from '../support/property.ts'
import { createRandom } from '../support/random.ts'
import { createScript, type Exchange } from '../support/script.ts'
import { address, addresses, BASE_URL, type Outcome, watch } from '../support/setup.ts'
import { omitStacks } from '../support/short-stacks.ts'

omitStacks()

const LIMIT = 9_000
const WINDOW_MS = 120_000
const KEYS = ['esk_live_first_key', 'esk_live_second_key']
const CASES = process.env.ETN_MARKET_TEST_REAL_CONNECTION === undefined ? 70 : 5

type What = 'price' | 'list' | 'batch' | 'locks' | 'farms' | 'me' | 'own path'

interface Options {
  deadlineMs?: number
  timeoutMs?: number
  retry?: false | { limit: number; maxRetryAfterMs?: number }
}

interface Made {
  readonly step: Extract<Step, { do: 'call' }>
  readonly outcome: Outcome<{ meta: { credits: { charged: number }; attempts: number } }>
  readonly signal: AbortSignal
}

const options: fc.Arbitrary<Options> = fc.record(
  {
    deadlineMs: fc.constantFrom(700, 3_500, 20_000),
    timeoutMs: fc.constantFrom(400, 4_000),
    retry: fc.constantFrom<NonNullable<Options['retry']>>(
      false,
      { limit: 1 },
      { limit: 6 },
      { limit: 2, maxRetryAfterMs: 2_000 },
    ),
  },
  { requiredKeys: [] },
)
const step = fc.oneof(
  weighted(8, {
    do: fc.constant('call'),
    what: fc.constantFrom<What>('price', 'price', 'list', 'batch', 'locks', 'locks', 'farms', 'me', 'own path'),
    number: fc.nat({ max: 5 }),
    key: fc.constantFrom(0, 1),
    caller: fc.nat({ max: 3 }),
    options,
  }),
  weighted(1, {
    do: fc.constant('burst'),
    count: fc.integer({ min: 2, max: 30 }),
    key: fc.constantFrom(0, 1),
    caller: fc.nat({ max: 3 }),
    options,
  }),
  weighted(4, { do: fc.constant('wait'), ms: fc.constantFrom(0, 1, 300, 2_000, 9_000, 61_000) }),
  weighted(2, { do: fc.constant('abort'), caller: fc.nat({ max: 3 }) }),
  weighted(1, { do: fc.constant('restart') }),
)
type Step = Drawn<typeof step>
const behaviour: fc.Arbitrary<Behaviour> = fc.record({
  how: fc.constantFrom(
    'ok',
    'ok',
    'ok',
    'ok',
    'limited',
    'limited',
    'busy',
    'error',
    'lost',
    'refused',
    'cut',
    'cut with header',
    'gateway',
    'never',
    'not found',
    'page',
  ),
  latencyMs: fc.constantFrom(0, 0, 5, 800, 3_000),
  retryAfter: fc.constantFrom(undefined, undefined, '0', '1', '5', '90'),
})

const refusing: fc.Arbitrary<Behaviour> = fc.record({
  how: fc.constantFrom('limited', 'limited', 'limited', 'ok', 'never'),
  latencyMs: fc.constantFrom(0, 5, 800),
  retryAfter: fc.constantFrom(undefined, '0', '1'),
})
const behaviours = fc.oneof(
  { weight: 3, arbitrary: fc.array(behaviour, { minLength: 1, maxLength: 12 }) },
  { weight: 1, arbitrary: fc.array(refusing, { minLength: 1, maxLength: 12 }) },
)

/** One program against one service, and the rules that hold after every step. */
async function play(behaviours: readonly Behaviour[], isStored: boolean, random: () => number) {
  const clock = Object.assign(createVirtualClock(), { random })
  // A budget in memory knows no wall clock, which drifts away from its own time.
  const begun = clock.monotonic()
  const now = () => (isStored ? clock.now() : START + clock.monotonic() - begun)
  const service = createMeteredService({ ...clock, now }, behaviours, WINDOW_MS)
  const script = createScript((exchange) => {
    onArrival(exchange)
    return service.receive(exchange)
  })
  const made: Made[] = []
  const ended: CallEndedEvent[] = []
  const clients: Client[] = []
  let key: string = KEYS[0] ?? ''
  const limits = { credits: LIMIT, windowMs: WINDOW_MS }
  const budget = isStored ? createBudget({ ...limits, store: new Map() }, clock) : createBudget(limits, clock)
  if ('load' in budget) await budget.load()
  let client = start()

  function start(): Client {
    const started = createClient({
      apiKey: () => key,
      baseUrl: BASE_URL,
      ...script.options,
      clock,
      budget,
      onEvent(event) {
        if (event.type === 'request.sent') service.breaches.push(...brokenBudget())
        if (event.type === 'call.succeeded' || event.type === 'call.failed') ended.push(event)
      },
    })
    clients.push(started)
    return started
  }

  /** The limit holds, always, and nothing that the service charged is missing. */
  function brokenBudget(): string[] {
    const { spent, reserved, uncertain, available } = budget
    const held = spent + reserved + uncertain
    const state = `${spent} ${reserved} ${uncertain}`
    const charged = service.windows().get(Math.floor(now() / WINDOW_MS)) ?? 0
    return [
      ...(Math.min(spent, reserved, uncertain, available) < 0 || held > LIMIT ? [`over the limit: ${state}`] : []),
      ...(held < charged ? [`${charged} charged, counted only ${state}`] : []),
    ]
  }

  /** What must be so whenever a request is sent. */
  function onArrival(exchange: Exchange): void {
    service.note(exchange, clients.length)
    const isOurs = (other: Exchange) => service.isHeavy(other) && service.clientOf(other) === clients.length
    if (script.open.filter(isOurs).length > 2) service.breaches.push('more than two heavy requests in flight')
    const waits = ({ step, outcome, signal }: Made) =>
      outcome.state === 'pending' && !signal.aborted && asksFor(step, exchange)
    if (!made.some(waits)) service.breaches.push(`nobody waits for ${exchange.url.pathname}`)
  }

  function call({ what, number, options }: Extract<Step, { do: 'call' }>, signal: AbortSignal): Promise<unknown> {
    const all = { ...options, signal }
    if (what === 'price') return client.token.price({ address: address(number) }, all).withMeta()
    if (what === 'list') return client.token.list({ limit: 10 + number }, all).withMeta()
    if (what === 'batch') return client.prices.batch({ addresses: addresses(1 + number * 25) }, all).withMeta()
    if (what === 'locks') return client.locks.get({ address: address(number) }, all).withMeta()
    if (what === 'farms') return client.farm.list({}, all).withMeta()
    if (what === 'me') return client.account.me({}, all).withMeta()
    return client.request('/new/route', { query: { number }, maxCredits: 70, ...all }).withMeta()
  }

  return {
    clock,
    service,
    script,
    made,
    ended,
    holds() {
      expect([...brokenBudget(), ...service.breaches]).toEqual([])
    },
    async call(steps: readonly Extract<Step, { do: 'call' }>[], signal: AbortSignal) {
      for (const step of steps) {
        key = KEYS[step.key] ?? ''
        const outcome = watch(call(step, signal)) as Made['outcome']
        made.push({ step, outcome, signal })
      }
      // The key is read some microtasks later.
      await Promise.resolve()
      await flush()
    },
    async restart() {
      await client.close()
      client = start()
    },
    get client() {
      return client
    },
    budget,
  }
}

/** Many light calls at once, two of each that share a request. */
function callsOf({ count, key, caller, options }: Extract<Step, { do: 'burst' }>): Made['step'][] {
  return Array.from({ length: count }, (_, index) => ({
    do: 'call',
    what: 'price',
    number: 100 + Math.floor(index / 2),
    key,
    caller,
    options,
  }))
}

async function run(steps: readonly Step[], behaviours: readonly Behaviour[], isStored: boolean, seed: number) {
  const program = await play(behaviours, isStored, createRandom(seed))
  const { clock, service, made, script } = program
  const callers = Array.from({ length: 4 }, () => new AbortController())
  for (const next of steps) {
    if (next.do === 'wait') await clock.advance(next.ms)
    else if (next.do === 'restart') await program.restart()
    else if (next.do === 'call') await program.call([next], (callers[next.caller] as AbortController).signal)
    else if (next.do === 'burst') await program.call(callsOf(next), (callers[next.caller] as AbortController).signal)
    else {
      const sent = script.requests.length
      const alone = made
        .filter(({ outcome }) => outcome.state === 'pending')
        .every(({ signal }) => signal === callers[next.caller]?.signal)
      callers[next.caller]?.abort(new Error('left'))
      callers[next.caller] = new AbortController()
      await flush()
      // Nothing is sent for callers that have all left.
      if (alone) expect(script.requests.length).toBe(sent)
    }
    program.holds()
  }
  for (let turn = 0; turn < 200 && made.some(({ outcome }) => outcome.state === 'pending'); turn++) {
    await clock.advance(2_000)
    program.holds()
  }
  // Every call settles, and leaves no timer of the client behind.
  expect(made.filter(({ outcome }) => outcome.state === 'pending')).toEqual([])
  await program.client.close()
  service.stop()
  await flush()
  expect(clock.pending).toBe(0)
  expect(program.budget.reserved).toBe(0)
  checkMoney(program)
}

/** What the calls report is what the service charged. */
function checkMoney({ service, made, ended, script }: Awaited<ReturnType<typeof play>>): void {
  const sum = ended.reduce((total, { credits }) => total + credits, 0)
  expect(sum).toBe(service.stated())
  if (service.hidden() > 0) expect(ended.some(({ charge }) => charge === 'unknown')).toBe(true)
  const attempts = ended.reduce((total, event) => total + (event.shared ? 0 : event.attempts), 0)
  expect(attempts).toBeLessThanOrEqual(script.requests.length)
  for (const { outcome } of made) {
    const { error } = outcome
    if (!(error instanceof EtnMarketError)) continue
    if (error.attempts === 0) expect([error.charge, error.credits]).toEqual(['none', 0])
    if (error.code === 'budget_exceeded' && error.attempts === 0) expect(error.message).toContain('Nothing was sent')
  }
  expect(Math.max(0, ...service.windows().values())).toBeLessThanOrEqual(LIMIT)
}

/** Whether a call may cause a request. */
function asksFor({ what, number }: Made['step'], { url }: Exchange): boolean {
  const { pathname, searchParams } = url
  const token = address(number).toLowerCase()
  const path = pathname.toLowerCase()
  if (what === 'price') return path.endsWith(`/prices/52014/${token}`)
  if (what === 'list') return path.endsWith('/tokens/52014') && searchParams.get('limit') === String(10 + number)
  if (what === 'batch') return path.endsWith('/prices/52014') && searchParams.has('addresses')
  if (what === 'locks') return path.includes(`${token}/liquidity-locks`)
  if (what === 'farms') return path.includes('farms')
  if (what === 'me') return path.endsWith('/me')
  return path.endsWith('/new/route') && searchParams.get('number') === String(number)
}

// Faults of stores, crashes and steps of the clock: `test/credits/ledger-model.test.ts`.
testProperty(
  'every line of the policy holds, whatever happens',
  fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), behaviours, fc.boolean(), fc.nat(), run),
  { cases: CASES },
)

test('the windows of the service are those of the budget', () => {
  expect(START % WINDOW_MS).toBe(0)
})
