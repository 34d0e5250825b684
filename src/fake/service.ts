import { answer, type Exchange } from './answer.ts'
import type { Incoming } from './arrive.ts'
import { expectCredits, expectNoUnusedFaults, expectRequests } from './expect.ts'
import { createFetch } from './fetch.ts'
import { asNumber } from './input.ts'
import { type FakeServer, listen } from './listen.ts'
import { connectionError } from './network.ts'
import { type FakeServiceOptions, readOptions } from './options.ts'
import { createRun } from './run.ts'
import { createTime } from './time.ts'
import type { FakeService } from './types.ts'
import { createWorld } from './world/world.ts'

/**
 * The whole service in a function: every rule, every price, no network and no credits.
 *
 * @example
 * const fake = createFakeService()
 * const response = await fake.fetch('https://electroswap.io/public-api/v1/prices/etn', {
 *   headers: { authorization: `Bearer ${fake.key}` },
 * })
 */
export function createFakeService(options: FakeServiceOptions = {}): FakeService {
  const settings = readOptions(options)
  const world = createWorld(settings.seed)
  const time = createTime(settings.clock)
  const begin = () => createRun(settings, world, time.now)
  const servers = new Set<FakeServer>()
  let run = begin()
  let closed = false

  async function receive(incoming: Incoming): Promise<Exchange> {
    if (closed) throw connectionError('ECONNREFUSED')
    return answer(run, time, incoming)
  }

  async function close(): Promise<void> {
    closed = true
    time.stop(() => connectionError('ECONNRESET'))
    await Promise.all([...servers].map((server) => server.close()))
  }

  const fake: FakeService = {
    baseUrl: settings.baseUrl ?? 'https://electroswap.io/public-api/v1',
    get key() {
      return run.accounts.first()
    },
    fetch: createFetch(receive),
    async listen(at = {}) {
      if (closed) throw new Error('This fake is closed.')
      const server = await listen(fake, receive, at)
      servers.add(server)
      return server
    },
    ledger: (filter) => run.ledger.list(filter),
    charged: (filter) => run.ledger.total(filter),
    journal: (filter) => run.journal.list(filter),
    peakInFlight: ({ heavy = false } = {}) => run.journal.peak(heavy),
    keys: () => run.accounts.all(),
    addKey: (key, start) => run.accounts.add(key, start),
    remaining: (key = run.accounts.first()) => run.accounts.get(key).credits,
    setCredits: (key, credits) => run.accounts.set(key, credits),
    fault: (fault) => run.faults.add(fault),
    faults: () => run.faults.list(),
    holdHeavySlot() {
      const free = run.heavy.take()
      if (!free) throw new Error(`All ${settings.heavyConcurrency} heavy slots are held already.`)
      return free
    },
    expectCredits: (expected) => expectCredits(run, expected),
    expectRequests: (expected) => expectRequests(run, expected),
    expectNoUnusedFaults: () => expectNoUnusedFaults(run),
    now: time.now,
    advance: (ms) => time.advance(asNumber('advance', ms, 0)),
    reset() {
      time.reset()
      run = begin()
    },
    close,
    [Symbol.asyncDispose]: close,
  }
  return fake
}
