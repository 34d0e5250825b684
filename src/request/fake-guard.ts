import { InvalidRequestError } from '../errors/input.ts'
import type { ClientOptions } from '../options.ts'
import { isFake } from '../utils/fake-mark.ts'
import { environment } from '../utils/runtime.ts'

/** The origins of the fakes that tests use now. It is set by the fixtures of `etn-market/vitest` and by `useFakeService`. */
const FAKE_ORIGINS = 'ETN_MARKET_FAKE_ORIGINS'

/**
 * Returns the base URL, unless a test with a fake runs and the URL leads elsewhere: a client that was made without a thought of the fake
 * would spend the credits of the developer's own key. It looks at each call, because the client may be older than the test.
 * @throws InvalidRequestError with the code `not_the_fake`
 */
export function guardForFake(baseUrl: () => string, { fetch }: ClientOptions): () => string {
  if (isFake(fetch)) return baseUrl
  return () => {
    const url = baseUrl()
    const origins = environment(FAKE_ORIGINS)
    if (origins?.split(',').includes(new URL(url).origin) === false) {
      const message = `${url} is not the fake of this test: use the \`client\` fixture or fake.fetch.`
      throw new InvalidRequestError(message, { code: 'not_the_fake' })
    }
    return url
  }
}
