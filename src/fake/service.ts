import { ASYNC_DISPOSE } from '../dispose.ts'
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
 * What the documentation leaves open had to be chosen. These rules are the fake's own, and the live service may differ:
 * - The address pattern is checked before anything else, which is documented. Then, by choice: the chain, a `cursor` or a
 *   repeated parameter, `limit`, the other parameters, the key, the rate limit, the credits, whether the thing exists (404),
 *   the heavy slots. What does not exist is found out only with enough credits for the base cost.
 * - `limit` is a number in canonical digits, from 1 on. Left out it is 100 for candles and balances, 50 for tokens and pools,
 *   25 for trades, 20 for the others.
 * - A `cursor`, a parameter given twice and another chain are 400 `invalid_request`; an unknown parameter is passed over.
 * - An address in mixed case may have a wrong checksum. A `token` of `trade.list` that is not listed answers an empty list.
 * - `prices.batch` charges an address as often as it is listed.
 * - Candles come oldest first, the period that is not over yet among them.
 * - A token without a price answers 200 with its `address` alone.
 * - `balances.get` with another spelling than EIP-55 answers an empty document and charges 800, as was seen live.
 * - 401 `unauthorized`, 402 `insufficient_credits`, 404 `not_found`, 405 with `Allow`, and 429 `rate_limited`, which is off unless
 *   `rateLimit` asks for it. A busy service says `Retry-After: 1`.
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
    [ASYNC_DISPOSE]: close,
  }
  return fake
}
