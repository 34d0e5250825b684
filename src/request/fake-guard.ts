import { InvalidRequestError } from '../errors/input.ts'
import type { ClientOptions } from '../options.ts'
import { environment } from '../utils/environment.ts'
import { isFake } from '../utils/fake-mark.ts'

/** The origins of the fakes that tests use now. It is set by the fixtures of `etn-market/vitest` and by `useFakeService`. */
const FAKE_ORIGINS = 'ETN_MARKET_FAKE_ORIGINS'

/**
 * Returns the base URL, unless a test with a fake runs and the URL leads elsewhere: a client that was made without a thought of the fake
 * would spend the credits of the developer's own key. It looks at each call, because the client may be older than the test.
 * @throws InvalidRequestError with the code `not_the_fake`
 */
export function guardForFake(baseUrl: () => string, { fetch, transport }: ClientOptions): () => string {
  if (transport === undefined && isFake(fetch)) return baseUrl
  return () => {
    const url = baseUrl()
    const origins = environment(FAKE_ORIGINS)
    if (origins === undefined || origins.split(',').includes(new URL(url).origin)) return url
    throw new InvalidRequestError(
      `A test with a fake service runs, and this client would call ${url} instead of the fake. Nothing was sent. Use the \`client\` ` +
        `fixture of etn-market/vitest, or pass \`fetch: fake.fetch\` to createClient. To allow another server of the test, add its ` +
        `origin to ${FAKE_ORIGINS} (now ${origins}).`,
      { code: 'not_the_fake' },
    )
  }
}
