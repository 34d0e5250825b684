import { createClient } from 'etn-market'
import { createFakeService } from 'etn-market/fake'
import { createVirtualClock } from '../support/clock.ts'

/** Parameters for the tokens of the fake at the time of `createVirtualClock()`: what is listed changes with time. */
export const listed = await (async () => {
  const fake = createFakeService({ clock: createVirtualClock() })
  const tokens = await createClient({ apiKey: fake.key, fetch: fake.fetch }).token.list({ limit: 100 })
  return tokens.map(({ address }) => ({ address }))
})()

/** Reads a sweep to its end. */
export async function read<Result>(sweep: AsyncIterable<Result>): Promise<Result[]> {
  const results: Result[] = []
  for await (const result of sweep) results.push(result)
  return results
}
