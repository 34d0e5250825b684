import { createRedisFleet } from 'etn-market/redis'
import { afterEach, expect, test, vi } from 'vitest'
import { fleetInternalsOf } from '../../src/fleet/fleet.ts'
import { createTimedRunner } from '../support/redis-time.ts'
import { useFleet } from './setup.ts'

const setup = useFleet()
const LIMIT = 50
const WINDOW_MS = 3_600_000
/** A reservation lasts as long as its process is awake. */
const LEASE_MS = 10 * WINDOW_MS

afterEach(() => void vi.restoreAllMocks())

test('a reservation that was made before the machine slept is not sent in the next window without asking', async () => {
  const runner = createTimedRunner(setup.connect(), 1_000 * WINDOW_MS)
  const join = () => {
    const budget = { credits: LIMIT, windowMs: WINDOW_MS }
    const fleet = createRedisFleet(runner, { name: 'bots', budget, timeoutMs: 5_000, leaseMs: LEASE_MS })
    setup.onEnd(() => fleet.close())
    const internals = fleetInternalsOf(fleet)
    if (internals === undefined) throw new Error('The fleet has no budget.')
    return { fleet, budget: internals.budget }
  }
  const sleeper = join()
  await sleeper.fleet.initialize()
  const reservation = await sleeper.budget.reserve(LIMIT)
  const now = Date.now
  vi.spyOn(Date, 'now').mockImplementation(() => now() + WINDOW_MS)
  runner.now += WINDOW_MS
  const other = join()
  const later = await other.budget.reserve(LIMIT)
  await later.confirm()
  later.settle(LIMIT)
  await other.budget.flush()
  await expect(Promise.resolve(reservation.confirm())).rejects.toMatchObject({ code: 'budget_exceeded' })
  expect(await other.fleet.status()).toMatchObject({ spent: LIMIT })
})

test('a reservation is not sent in the next window either where the wall clock was set back by less than a second', async () => {
  const runner = createTimedRunner(setup.connect(), 1_001 * WINDOW_MS - 10_000)
  const join = () => {
    const budget = { credits: LIMIT, windowMs: WINDOW_MS }
    const fleet = createRedisFleet(runner, { name: 'bots', budget, timeoutMs: 5_000, leaseMs: LEASE_MS })
    setup.onEnd(() => fleet.close())
    return { fleet, budget: fleetInternalsOf(fleet)?.budget }
  }
  const late = join()
  await late.fleet.initialize()
  const reservation = await late.budget?.reserve(LIMIT)
  const [now, elapsed] = [Date.now, performance.now.bind(performance)]
  vi.spyOn(Date, 'now').mockImplementation(() => now() + 10_000 - 900)
  vi.spyOn(performance, 'now').mockImplementation(() => elapsed() + 10_000)
  runner.now += 10_000
  const other = join()
  const later = await other.budget?.reserve(LIMIT)
  await later?.confirm()
  later?.settle(LIMIT)
  await other.budget?.flush()
  await expect(Promise.resolve(reservation?.confirm())).rejects.toMatchObject({ code: 'budget_exceeded' })
})
