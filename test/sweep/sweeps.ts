import { createClient } from 'etn-market'
import { createFakeService } from 'etn-market/fake'
import { createVirtualClock } from '../support/clock.ts'
import { watch } from '../support/setup.ts'
// Loaded at once, so that a test in virtual time does not wait for them.
import '../../src/generated/answer-schemas.ts'
import '../../src/sweep/run-sweep.ts'

/** Parameters for the tokens of the fake at the time of `createVirtualClock()`: what is listed changes with time. */
export const listed = await (async () => {
  const fake = createFakeService({ clock: createVirtualClock() })
  const tokens = await createClient({ apiKey: fake.key, fetch: fake.fetch }).token.list({ limit: 100 })
  return tokens.map(({ address }) => ({ address }))
})()

/** A service in virtual time, and clients of it, each of whose answers takes so long. */
export function startService(latencyMs = 0) {
  const clock = createVirtualClock()
  const fake = createFakeService({ clock })
  let inFlight = 0
  let mostInFlight = 0
  const open = () =>
    createClient({
      apiKey: fake.key,
      clock,
      async fetch(url, init) {
        mostInFlight = Math.max(mostInFlight, ++inFlight)
        try {
          if (latencyMs > 0) await clock.sleep(latencyMs, init.signal)
          return await fake.fetch(url, init)
        } finally {
          inFlight--
        }
      },
    })
  /** Waits for work while virtual time passes. */
  const whileTimePasses = async <T>(work: Promise<T>): Promise<T> => {
    const outcome = watch(work)
    for (let step = 0; outcome.state === 'pending' && step < MAX_STEPS; step++) await clock.advance(STEP_MS)
    if (outcome.state === 'pending') throw new Error('The sweep has not ended after an hour')
    return work
  }
  /** Reads a sweep to its end while virtual time passes. */
  const collect = <Result>(sweep: AsyncIterable<Result>) => whileTimePasses(read(sweep))
  return { clock, fake, open, client: open(), whileTimePasses, collect, mostInFlight: () => mostInFlight }
}

const STEP_MS = 500
/** An hour. */
const MAX_STEPS = 7_200

/** Reads a sweep to its end. */
export async function read<Result>(sweep: AsyncIterable<Result>): Promise<Result[]> {
  const results: Result[] = []
  for await (const result of sweep) results.push(result)
  return results
}
