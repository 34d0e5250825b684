import { document } from '../generated/document.ts'
import { allowOrigin, isGuarded } from '../utils/fake-mark.ts'
import { once } from '../utils/once.ts'
import { ASYNC_DISPOSE } from '../utils/runtime.ts'
import { hash, hashText, unit } from './data/random.ts'
import { createWorld } from './data/world.ts'
import { Faults } from './faults/faults.ts'
import { createControl } from './http/control/control.ts'
import { connectionError, createFetch } from './http/fetch.ts'
import { type Handle, handleRequest } from './http/handle-request.ts'
import { listen } from './http/listen.ts'
import { Session } from './http/session.ts'
import { type FakeServiceOptions, readOptions } from './options.ts'
import { checkOptions, checkValue, FakeUsageError } from './rules/check.ts'
import { MAX_TIME_MS, ServiceClock } from './rules/clock.ts'
import { expectAmounts, expectNoUnusedFaults } from './rules/expect.ts'
import * as is from './rules/schema.ts'
import { Stubs } from './rules/stubs.ts'
import { noRecording, TapePlayer } from './rules/tape.ts'
import { type FakeServer, type FakeService, type FakeSnapshot, RESET_PARTS, type ResetOptions } from './types.ts'

/** What `reset` keeps of a state. */
const KEPT = { world: ['changes', 'stubs'], faults: ['faults'], keys: ['accounts'], clock: ['offset'] } as const

/**
 * Creates the whole service as a function: every rule and every price, without network and without credits.
 *
 * Some rules are not documented. The fake chooses them, and the live service may differ:
 * - The order of checks. The address pattern comes first, which is documented. Then: the chain, a `cursor` or a repeated
 *   parameter, `limit`, the other parameters, the key, the rate limit, the credits, existence (404), the heavy slots. A 404
 *   needs enough credits for the base cost.
 * - `limit` is written in canonical digits, from 1. The default is 100 for candles and balances, 50 for tokens and pools,
 *   25 for trades, 20 for the others.
 * - A `cursor`, a repeated parameter and another chain are 400 `invalid_request`. An unknown parameter is ignored.
 * - An address in mixed case may have a wrong checksum. `trade.list` with an unlisted `token` answers an empty list.
 * - `prices.batch` charges an address as often as it is listed.
 * - Candles are ordered from oldest to newest, the current period included.
 * - A token without a price answers 200 with only its `address`.
 * - `balances.get` with an address that is not EIP-55 answers an empty document and charges 800, as observed live.
 * - 401 `unauthorized`, 402 `insufficient_credits`, 404 `not_found`, 405 with `Allow`. 429 `rate_limited` is off without
 *   `rateLimit`. A busy heavy route sends `Retry-After: 1`.
 *
 * @example
 * const fake = createFakeService()
 * const response = await fake.fetch('https://electroswap.io/public-api/v1/prices/etn', {
 *   headers: { authorization: `Bearer ${fake.key}` },
 * })
 */
export function createFakeService(options: FakeServiceOptions = {}): FakeService {
  const settings = readOptions(options)
  const clock = new ServiceClock(settings.clock)
  const world = createWorld(settings.seed, settings.world, clock.now)
  const find: Session['find'] = (call) => {
    const { match, parsed, account } = call
    const { operation } = match
    if (operation === 'account.me') return account && { data: { ...account } }
    const recorded = tape?.play(call)
    if (recorded) return recorded
    if (operation === 'meta.openapi') return { data: document }
    if (tape && settings.onMissing === 'error') throw noRecording(call)
    return world.query(operation, parsed)
  }
  const kept = { faults: new Faults(settings.seed, (key) => session.listKey(key)), stubs: new Stubs() }
  const startSession = () => new Session(settings, find, clock.now, kept)
  const servers = new Set<FakeServer>()
  // Servers of one fake share what remote programs refer to by a number.
  const control = once(() => createControl(fake, settings.maxSnapshots))
  const snapshots = new WeakMap<FakeSnapshot, ReturnType<typeof save>>()
  const tape = settings.tape && new TapePlayer(settings.tape)
  let session: Session = startSession()
  const beginning = save()
  let isClosed = false
  const noise = hash(hashText(String(settings.seed)), 300)
  let drawn = 0

  const handle: Handle = async (incoming) => {
    if (isClosed) throw connectionError('ECONNREFUSED')
    return handleRequest(session, clock, incoming)
  }

  function reset(options: ResetOptions = {}): void {
    checkOptions('reset', is.object({ keep: is.listOf(is.only(...RESET_PARTS)) }), options)
    const [now, state] = [clock.now(), save()]
    const kept = (options.keep ?? []).flatMap((part) => KEPT[part].map((name) => [name, state[name]]))
    load({ ...beginning, ...Object.fromEntries(kept) })
    world.prices.setBack(Math.floor(now / 1000), Math.floor(clock.now() / 1000))
  }

  function save() {
    return { ...session.save(), changes: world.prices.changes, offset: clock.offset, tape: tape?.state }
  }

  function load(state: ReturnType<typeof save>): void {
    session = startSession()
    session.load(state)
    world.prices.changes = state.changes
    clock.offset = state.offset
    if (tape && state.tape) tape.state = state.tape
  }

  async function close(): Promise<void> {
    isClosed = true
    clock.stop(() => connectionError('ECONNRESET'))
    await Promise.all([...servers].map((server) => server.close()))
  }

  const fake: FakeService = {
    baseUrl: settings.baseUrl ?? 'https://electroswap.io/public-api/v1',
    get key() {
      return session.accounts.first()
    },
    fetch: createFetch(handle),
    async listen(options = {}) {
      if (isClosed) throw new Error('This fake is closed.')
      const basePath = new URL(fake.baseUrl).pathname.replace(/\/$/, '')
      const server = await listen(handle, control(), basePath, options)
      const disallow = isGuarded() ? allowOrigin(new URL(server.url).origin) : () => {}
      const close = () => {
        disallow()
        return server.close()
      }
      servers.add({ ...server, close })
      return { ...server, close }
    },
    ledger: (filter) => session.ledger.list(filter),
    charged: (filter) => session.ledger.total(filter),
    journal: (filter) => session.journal.list(session.maskFilter(filter)),
    peakInFlight(options = {}) {
      checkOptions('peakInFlight', is.object({ heavy: is.flag }), options)
      return session.journal.peak(options.heavy ?? false)
    },
    keys: () => session.accounts.list(),
    addKeys: (keys) => session.accounts.add(keys),
    remaining: (key = session.accounts.first()) => session.accounts.get(key).credits,
    setCredits(key, credits) {
      checkValue('credits', is.count, credits)
      session.accounts.set(key, credits)
    },
    fault: (fault) => session.faults.add(fault),
    script: (operation, steps, options) => session.faults.script(operation, steps, options),
    stub: (operation, answer, options) => session.stubs.add(operation, answer, options),
    faults: () => session.faults.list(),
    holdHeavySlot() {
      const free = session.heavySlots.tryAcquire()
      if (!free) throw new Error(`All ${session.heavySlots.size} heavy slots are taken.`)
      return free
    },
    expectCredits: (expected, filter) => expectAmounts('ledger', expected, session.maskFilter(filter), session),
    expectRequests: (expected, filter) => expectAmounts('journal', expected, session.maskFilter(filter), session),
    expectNoUnusedFaults: () => expectNoUnusedFaults(session.faults.unused()),
    clock: { now: clock.waitingNow, monotonic: clock.elapsed, sleep: clock.sleep, random: () => unit(noise, ++drawn) },
    world: world.control,
    now: clock.now,
    advance(ms) {
      checkValue('advance', is.between(0, MAX_TIME_MS - clock.now()), ms)
      return clock.advance(ms)
    },
    reset,
    snapshot() {
      const snapshot = Object.freeze({ at: clock.now() })
      snapshots.set(snapshot, save())
      return snapshot
    },
    restore(snapshot) {
      const state = snapshots.get(snapshot)
      if (!state) throw new FakeUsageError('restore takes a snapshot of this fake.')
      load(state)
    },
    close,
    [ASYNC_DISPOSE]: close,
  }
  return fake
}
