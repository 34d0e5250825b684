import { type ClientEvent, type ClientOptions, type Clock, createClient, type EtnMarketError } from 'etn-market'

const ADDRESS = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'
/** So many times faster than real is the client's time: an attempt takes 2,000 ms at most, which are 500. */
const HASTE = 4

const clock: Clock = {
  now: () => 1_795_176_000_000,
  random: () => 0,
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms / HASTE)
      signal?.addEventListener('abort', () => {
        clearTimeout(timer)
        reject(signal.reason)
      })
    }),
}

/** All that a caller can tell about a call. */
export interface Outcome {
  /** Name, code and charge of the error, or `ok` and the data. */
  readonly end: string
  readonly facts: object
  readonly budget: object
  readonly credits: object
  readonly events: readonly object[]
}

/** One call of token.price with at most two attempts. */
export async function outcomeOf(baseUrl: string, transport?: ClientOptions['transport']): Promise<Outcome> {
  const events: ClientEvent[] = []
  const client = createClient({
    apiKey: 'esk_test_parity',
    baseUrl,
    transport,
    clock,
    timeoutMs: 2_000,
    retry: { limit: 1 },
    budget: { credits: 1_000 },
    onEvent: (event) => void events.push(event),
  })
  const [end, facts] = await client.token
    .price({ address: ADDRESS })
    .withMeta()
    .then(
      ({ data, meta: { attempts, credits } }) => [`ok ${JSON.stringify(data.usd)}`, { attempts, credits }] as const,
      (error: EtnMarketError) =>
        [
          `${error.name} ${error.code} ${error.charge}`,
          factsOf(error),
          error.stack?.split('\n').slice(0, 4).join(),
        ] as const,
    )
  await client.close()
  const { spent, reserved, uncertain, available } = client.budget
  return {
    end,
    facts,
    budget: { spent, reserved, uncertain, available },
    credits: { ...client.credits },
    events: events.map(({ type, ...rest }) => ({ type, ...rest, ...('durationMs' in rest && { durationMs: 0 }) })),
  }
}

function factsOf({ attempts, credits, message, body, ...rest }: EtnMarketError & { body?: unknown }): object {
  const { status, retryAfterMs } = rest as { status?: number; retryAfterMs?: number }
  // What stands in brackets is the runtime's own wording.
  return { attempts, credits, message: message.replace(/ \(.*\)/s, ''), body, status, retryAfterMs }
}
