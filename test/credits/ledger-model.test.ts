import { type Budget, type CallOptions, type Client, createBudget, createClient } from 'etn-market'
import { createFakeService, type FakeService, fakeTokens } from 'etn-market/fake'
import fc from 'fast-check'
import { expect } from 'vitest'
import { internalsOf } from '../../src/client/client-internals.ts'
import { createVirtualClock, flush, START, type VirtualClock } from '../support/clock.ts'
import { type Drawn, testProperty, weighted } from '../support/property.ts'
import { createRandom } from '../support/random.ts'
import { type ScriptedRequest, scriptedRequest } from '../support/script.ts'
import { type Outcome, watch } from '../support/setup.ts'
import { omitStacks } from '../support/short-stacks.ts'
import { type Behaviour, createModelService } from './model-service.ts'
import { createModelStore, type StoreFault } from './model-store.ts'
import { fakeStoreTimers } from './store-timers.ts'

omitStacks()

const LIMIT = 4_000
const VISITOR_LIMIT = 1_000
/** More than all requests of a case together cost: a budget cannot see a smaller top-up. */
const CREDITS = 1_000_000
const KEYS = ['esk_live_first_key', 'esk_live_second_key', 'esk_live_third_key'] as const
const CLIENTS = [0, 1, 2] as const
const TOKENS = Object.values(fakeTokens)
/** Asks for what costs 100 credits, and says that it costs 40 at most. */
const UNDERSTATED = { cost: 100, maxCredits: 40 }

type What = 'price' | 'list' | 'batch' | 'locks' | 'me' | 'understated' | "a visitor's"

const stepMs = fc.constantFrom(-31_536_000_000, -3_600_000, -75_000, -15_000, 15_000, 75_000, 3_600_000, 31_536_000_000)
const number = fc.nat({ max: 9 })
const caller = fc.nat({ max: 2 })
const key = fc.constantFrom(0, 0, 0, 0, 1, 2)
const options: fc.Arbitrary<CallOptions> = fc.record(
  {
    deadlineMs: fc.constantFrom(700, 6_000, 20_000),
    timeoutMs: fc.constantFrom(400, 4_000),
    retry: fc.constantFrom<NonNullable<CallOptions['retry']>>(false, { limit: 1 }, { limit: 5 }),
  },
  { requiredKeys: [] },
)
const step = fc.oneof(
  weighted(12, {
    do: fc.constant('call'),
    what: fc.constantFrom<What>('price', 'price', 'list', 'batch', 'locks', 'me', 'me', 'understated', "a visitor's"),
    number,
    client: fc.nat({ max: 2 }),
    key,
    // A call that waits for its key holds its reservation, and is sent in a later window.
    keyDelayMs: fc.constantFrom(0, 0, 0, 0, 5_000, 13_000),
    caller,
    options,
  }),
  weighted(5, { do: fc.constant('wait'), ms: fc.constantFrom(0, 1, 300, 2_000, 9_000, 61_000) }),
  weighted(3, {
    do: fc.constant('step the wall clock'),
    ms: stepMs,
  }),
  weighted(1, { do: fc.constant('top up'), key }),
  weighted(2, { do: fc.constant('abort'), caller }),
  // A quiet moment, while the service may still execute what was left.
  weighted(4, { do: fc.constant('leave all and look'), key }),
  weighted(2, {
    do: fc.constant('end'),
    isCrash: fc.boolean(),
    pauseMs: fc.constantFrom(0, 0, 0, 4_000, 70_000),
    stepMs: fc.oneof(fc.constant(0), stepMs),
  }),
)
type Step = Drawn<typeof step>
const behaviour: fc.Arbitrary<Behaviour> = fc.record({
  how: fc.constantFrom<Behaviour['how']>(
    ...Array<'answers'>(8).fill('answers'),
    'answers without a cost',
    'fails',
    'refuses the connection',
    'resets before',
    'resets after',
    'cuts off',
    'cuts off after the headers',
    'gateway',
    'never answers',
    'executes late',
    'executes late',
    'executes late',
  ),
  latencyMs: fc.constantFrom(0, 0, 5, 800, 3_000),
  lateMs: fc.constantFrom(500, 9_000, 30_000, 59_999),
})
const storeFault = fc.constantFrom<StoreFault>(
  'none',
  'none',
  'none',
  'none',
  'slow',
  'late',
  'false',
  'fails',
  'fails, but writes',
  'never',
  'never, but writes',
)
const cases = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 30, size: 'max' }),
  behaviours: fc.array(behaviour, { minLength: 1, maxLength: 10 }),
  storeFaults: fc.oneof(fc.constant<StoreFault[]>(['none']), fc.array(storeFault, { minLength: 1, maxLength: 10 })),
  isStored: fc.boolean(),
  windowMs: fc.constantFrom(undefined, 12_000, 120_000),
  exclusiveKey: fc.boolean(),
  seed: fc.nat(),
})
type Case = Drawn<typeof cases>

/** One request that the service has executed. */
interface Charge {
  readonly bornIn: Process
  credits: number
  /** What it was charged beyond the stated maximum. */
  excess: number
  /** Until when the budget has to count it, in true time. */
  end: number
}

/** A budget, and what the service charged for its requests. */
interface Account {
  readonly budget: Budget
  readonly limit: number
  /** When its first window begins, in true time. A jump of the wall clock begins the windows of a stored budget earlier. */
  origin: number
  readonly charges: Charge[]
}

/** A process with some clients that share a budget. */
interface Process {
  readonly store: ReturnType<ReturnType<typeof createModelStore>['connect']>
  readonly total: Account
  readonly visitor: Account
  readonly clients: readonly Client[]
  /**
   * By how much the wall clock was set forward between the last write and this process. Nothing but the wall clock says how long no process ran,
   * so windows of earlier ones end earlier by this time.
   */
  lostMs: number
}

async function run(fake: FakeService, clock: VirtualClock, tried: Case): Promise<void> {
  const { steps, behaviours, storeFaults, isStored, windowMs, exclusiveKey } = tried
  fakeStoreTimers(clock)
  const now = () => clock.monotonic()
  const wallOffset = () => clock.now() - START - now()
  const service = createModelService(fake, clock, behaviours)
  const store = createModelStore(clock, wallOffset, storeFaults)
  const made: Outcome<unknown>[] = []
  const breaches: string[] = []
  const stored: Charge[] = []
  const keys = { next: KEYS[0] as string, delayMs: 0 }
  async function readKey(): Promise<string> {
    const { next, delayMs } = keys
    if (delayMs > 0) await clock.sleep(delayMs)
    return next
  }
  let running = start()

  function start(): Process {
    const connected = store.connect()
    const create = () =>
      isStored
        ? createBudget({ credits: LIMIT, windowMs, exclusiveKey, store: connected }, clock)
        : createBudget({ credits: LIMIT, windowMs, exclusiveKey }, clock)
    const total: Account = {
      budget: create(),
      limit: LIMIT,
      origin: isStored ? -START - wallOffset() : now(),
      charges: isStored ? stored : [],
    }
    const visitor: Account = {
      budget: createBudget({ credits: VISITOR_LIMIT, windowMs }, clock),
      limit: VISITOR_LIMIT,
      origin: now(),
      charges: [],
    }
    const clients = CLIENTS.map(() =>
      createClient({
        apiKey: () => (keys.delayMs > 0 ? readKey() : keys.next),
        baseUrl: fake.baseUrl,
        fetch: (url, init) => receive(started, scriptedRequest(url, init)),
        clock,
        budget: total.budget,
      }),
    )
    const lostMs = Math.max(0, wallOffset() - store.wallOffset)
    const started: Process = { store: connected, total, visitor, clients, lostMs }
    return started
  }

  function receive(sender: Process, request: ScriptedRequest): Promise<Response> {
    if (sender !== running) breaches.push('sent by a process that has ended')
    const isOfVisitor = request.url.includes('/history')
    const accounts = isOfVisitor ? [sender.total, sender.visitor] : [sender.total]
    const sentAt = now()
    const charges = accounts.map(({ origin, charges }) => {
      const end = windowMs === undefined ? Infinity : origin + (Math.floor((sentAt - origin) / windowMs) + 1) * windowMs
      const charge: Charge = { bornIn: sender, credits: 0, excess: 0, end }
      charges.push(charge)
      return charge
    })
    return service.receive(request, (credits) => {
      const isUnderstated = credits === UNDERSTATED.cost && /\/tokens\/52014\/0x\w+$/.test(request.url)
      const excess = isUnderstated ? UNDERSTATED.cost - UNDERSTATED.maxCredits : 0
      for (const charge of charges) Object.assign(charge, { credits, excess })
      breaches.push(...brokenPromises())
    })
  }

  /** What counts now, by the service's own ledger. */
  function countedNow({ charges }: Account): { credits: number; excess: number } {
    const counted = { credits: 0, excess: 0 }
    for (const { bornIn, credits, excess, end } of charges) {
      if (now() >= end - (bornIn === running ? 0 : running.lostMs)) continue
      counted.credits += credits
      counted.excess += excess
    }
    return counted
  }

  function brokenPromises(): string[] {
    return [running.total, running.visitor].flatMap((account) => {
      const { credits, excess } = countedNow(account)
      const known = credits - excess
      const { limit } = account
      const held = heldBy(account.budget)
      // A key that an earlier process has used may be charged for what that one left.
      const ever = fake.charged()
      return [
        ...(held !== undefined && account.budget.spent > ever
          ? [`${ever} charged, ${account.budget.spent} spent`]
          : []),
        ...(known > limit ? [`${credits} charged of ${limit}, ${excess} of it beyond what was stated`] : []),
        ...(held !== undefined && held < known ? [`${credits} charged, ${held} counted`] : []),
      ]
    })
  }

  function call({ what, number, client, caller, options }: Extract<Step, { do: 'call' }>): Promise<unknown> {
    const asked = running.clients[client] as Client
    const all = { ...options, signal: (callers[caller] as AbortController).signal }
    const address = TOKENS[number] ?? ''
    if (what === 'price') return asked.token.price({ address }, all)
    if (what === 'list') return asked.token.list({ limit: 1 + number }, all)
    if (what === 'batch') return asked.prices.batch({ addresses: manyTokens(1 + number * 12) }, all)
    if (what === 'locks') return asked.locks.get({ address }, all)
    if (what === 'me') return asked.account.me({}, all)
    if (what === 'understated')
      return asked.request(`/tokens/52014/${address}`, { maxCredits: UNDERSTATED.maxCredits, ...all })
    const internals = internalsOf(asked)
    if (internals === undefined) throw new Error('A client has internals.')
    return internals.call('token.history', { address }, all, { budget: running.visitor.budget })
  }

  async function end({ isCrash, pauseMs, stepMs }: Extract<Step, { do: 'end' }>): Promise<void> {
    // A plain store cannot keep a late write from replacing a newer one. The budget writes again; until then a crash forgets.
    if (isCrash && store.isStale) return
    if (isCrash) running.store.isAlive = false
    const closing = watch(Promise.all(running.clients.map((client) => client.close())))
    for (let turn = 0; turn < 20 && closing.state === 'pending'; turn++) await clock.advance(1_000)
    if (closing.state !== 'resolved') breaches.push(`a client that is closed is ${closing.state}`)
    if (store.isStale && !isCrash) await clock.advance(120_000)
    running.store.isAlive = false
    const { lostMs, store: written } = running
    if (written.hasWritten) for (const charge of stored) if (charge.bornIn !== running) charge.end -= lostMs
    await clock.advance(pauseMs)
    clock.stepWallClock(stepMs)
    running = start()
  }

  const callers = [0, 1, 2].map(() => new AbortController())
  async function leave(number: number): Promise<void> {
    callers[number]?.abort(new Error('left'))
    callers[number] = new AbortController()
    await flush()
  }
  async function take(next: Step): Promise<void> {
    if (next.do === 'wait') await clock.advance(next.ms)
    else if (next.do === 'step the wall clock') {
      clock.stepWallClock(next.ms)
      // An entry that is read afterwards states moments of this clock.
      const isRead = heldBy(running.total.budget) !== undefined
      if (isStored && (next.ms > 0 || !isRead)) running.total.origin -= next.ms
      if (!isRead) running.lostMs = Math.max(0, wallOffset() - store.wallOffset)
    } else if (next.do === 'end') await end(next)
    else if (next.do === 'top up') {
      const name = KEYS[next.key] as string
      fake.setCredits(name, fake.remaining(name) + CREDITS)
    } else if (next.do === 'abort') await leave(next.caller)
    else if (next.do === 'leave all and look') {
      for (const number of callers.keys()) await leave(number)
      await take({ do: 'call', what: 'me', number: 0, client: 0, key: next.key, keyDelayMs: 0, caller: 0, options: {} })
    } else {
      Object.assign(keys, { next: KEYS[next.key] as string, delayMs: next.keyDelayMs })
      made.push(watch(call(next)))
      // The key is read some microtasks later.
      await flush()
    }
  }

  for (const next of steps) {
    await take(next)
    expect([...breaches, ...brokenPromises()]).toEqual([])
  }
  service.recover()
  const isPending = () => made.some(({ state }) => state === 'pending')
  for (let turn = 0; turn < 200 && isPending(); turn++) await clock.advance(2_000)
  expect(isPending()).toBe(false)
  store.recover()
  await clock.advance(120_000)
  expect([...breaches, ...brokenPromises()]).toEqual([])
  const { total, visitor } = running
  for (const { budget } of [total, visitor]) expect(heldBy(budget) === undefined ? 0 : budget.reserved).toBe(0)
  // What is known is written, although no call has followed. After a step of the wall clock it was written with other moments.
  if (isStored && heldBy(total.budget) !== undefined && store.wallOffset === wallOffset()) {
    const { spent, uncertain } = total.budget
    const restarted = createBudget({ credits: LIMIT, windowMs, exclusiveKey, store: store.connect() }, clock)
    await restarted.load()
    expect([restarted.spent, restarted.uncertain]).toEqual([spent, uncertain])
  }
  await Promise.all(running.clients.map((client) => client.close()))
  await clock.advance(20_000)
  expect(clock.pending).toBe(0)
}

/** Credits that a budget counts; undefined before it is loaded. */
function heldBy(budget: Budget): number | undefined {
  try {
    return budget.spent + budget.reserved + budget.uncertain
  } catch {
    return undefined
  }
}

function manyTokens(count: number): string[] {
  return Array.from({ length: count }, (_, index) => TOKENS[index] ?? `0x${String(index).padStart(40, '0')}`)
}

testProperty(
  'no window is charged above its limit, and nothing that was charged is forgotten, whatever is lost, fails, steps or crashes',
  () => {
    // All cases share its data, which takes longer to make than a case. Its time is that of the case: what it refuses depends on it.
    const keys = Object.fromEntries(KEYS.map((name) => [name, CREDITS]))
    let clock = createVirtualClock()
    const fake = createFakeService({
      seed: 1,
      keys,
      journal: { max: 0 },
      clock: { now: () => START + clock.monotonic() },
    })
    return fc.asyncProperty(cases, async (one) => {
      clock = Object.assign(createVirtualClock(), { random: createRandom(one.seed) })
      fake.reset()
      await run(fake, clock, one)
    })
  },
  { cases: 20 },
)
