import type { FakeServiceOptions } from '../../../src/fake/index.ts'
import { makeFake } from '../setup.ts'

/** A fake and a function that returns the `data` of a path. */
export function ask(options: FakeServiceOptions = {}) {
  const fake = makeFake(options)
  const request = (path: string) =>
    fake.fetch(fake.baseUrl + path, { headers: { authorization: `Bearer ${fake.key}` } })
  const get = async (path: string) => (await (await request(path)).json()).data
  return { fake, request, get }
}
