import { setTimeout } from 'node:timers/promises'
import { type ClientEvent, type ClientOptions, type Clock, createClient, type EtnMarketError } from 'etn-market'

const ADDRESS = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'
/** So many times faster than real is the client's time. */
const HASTE = 4
/** How long an attempt may take in the client's time; no other wait is as long. */
const TIMEOUT_MS = 2_000
/** How long it may really take: where no answer comes, and where a busy machine may delay one. */
const SILENT_MS = 700
const ANSWERED_MS = 15_000

/** The wait is made of so many timers, because servers and sockets of a busy process make progress between two of them only. */
const STEPS = 20

const createClock = (attemptMs: number): Clock => ({
  now: () => 1_795_176_000_000,
  monotonic: () => 0,
  random: () => 0,
  async sleep(ms, signal) {
    const realMs = ms === TIMEOUT_MS ? attemptMs : ms / HASTE
    for (let step = 0; step < STEPS; step++) {
      await setTimeout(realMs / STEPS, undefined, { signal }).catch(() => signal?.throwIfAborted())
    }
  },
})

export interface OutcomeOptions {
  readonly transport?: ClientOptions['transport']
  /** The service stops answering, so that the attempt reaches its time limit. */
  readonly isSilent?: boolean
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
export async function outcomeOf(
  baseUrl: string,
  { transport, isSilent = false }: OutcomeOptions = {},
): Promise<Outcome> {
  const events: ClientEvent[] = []
  const client = createClient({
    apiKey: 'esk_test_parity',
    baseUrl,
    transport,
    clock: createClock(isSilent ? SILENT_MS : ANSWERED_MS),
    timeoutMs: TIMEOUT_MS,
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
