import { get } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { type CallOptions, type ClientOptions, createClient, isEtnMarketError } from 'etn-market'
import { createFakeService, type FakeFront, type FaultOptions } from 'etn-market/fake'
import { createNodeTransport } from 'etn-market/node'

/** What goes wrong between the front and the service. All but the last three are charged. */
export const FAULTS = {
  'reset once': { reset: 'after', times: 1 },
  'reset each time': { reset: 'after' },
  silent: { never: true },
  'cut short': { truncate: 20 },
  busy: { status: 503, retryAfter: 1 },
  failing: { status: 500 },
  'no service': undefined,
} satisfies Record<string, FaultOptions | undefined>
export type FaultName = keyof typeof FAULTS

/** The cost of the call that is made. */
export const COST = 3_000
/** The limit of each client is worth two of its three attempts. */
export const LIMIT = 2 * COST

/** The clients that make each call. The last one compares the balance of its key with what it knows. */
const CLIENTS = ['fetch', 'etn-market/node', 'exclusiveKey'] as const

/** What came of one call through a front. */
export interface Trial {
  readonly fault: FaultName
  readonly client: (typeof CLIENTS)[number]
  /** How the call ended: the code and the charge of its error. */
  readonly outcome: string
  /** Requests that the client sent. */
  readonly sent: number
  /** Requests that reached the service. */
  readonly received: number
  /** What the service charged. */
  readonly charged: number
  readonly spent: number
  readonly uncertain: number
}

/** An answer as the fake's table describes it. */
export interface Answer {
  readonly status: number | undefined
  readonly type: string | undefined
  readonly retryAfter: string | undefined
  readonly body: 'html' | 'text' | 'json' | 'empty'
}

export interface Report {
  readonly trials: readonly Trial[]
  /** By the name of the fake's front: what the real front answered, and what the fake answers in its name. */
  readonly answers: Readonly<Record<string, { readonly real: Answer; readonly played: Answer }>>
}

/** A clock on which waits are short. What is sent and received takes as long as it does. */
const SPEED = 20
const startedAt = Date.now()
const monotonic = () => performance.now() * SPEED
const clock: NonNullable<ClientOptions['clock']> = {
  now: () => startedAt + monotonic(),
  monotonic,
  async sleep(ms, signal) {
    await wait(ms / SPEED, undefined, signal ? { signal } : {}).catch(() => signal?.throwIfAborted())
  },
  random: Math.random,
}
/** How often a balance is asked for. */
const MAX_TRIES = 5
/** Longer than all attempts that a front makes. */
const TIMEOUT_MS = 15_000 * SPEED
/** Some faults make a front wait, so that these calls make one attempt. lighttpd waits for ever for the rest of a body. */
const OPTIONS: Partial<Record<FaultName, CallOptions>> = {
  silent: { retry: false },
  'cut short': { timeoutMs: 2_000 * SPEED },
  'no service': { retry: false },
}

/** Makes calls through the front at this port to a service at that one. */
export async function runTrials(
  frontPort: number,
  upstreamPort: number,
  played: Readonly<Partial<Record<FaultName, FakeFront>>>,
): Promise<Report> {
  const transport = createNodeTransport()
  const keys = Object.keys(FAULTS).flatMap((fault) => ['bare', ...CLIENTS].map((name) => keyOf(fault, name)))
  const fake = createFakeService({
    heavyConcurrency: 100,
    keys: Object.fromEntries(keys.map((key) => [key, 1_000_000])),
  })
  const server = await fake.listen({ port: upstreamPort })
  const path = new URL(server.url).pathname
  const baseUrl = `http://127.0.0.1:${frontPort}${path}`

  const fail = (fault: FaultName, key: string) => {
    const effects = FAULTS[fault]
    if (effects) fake.fault({ operation: 'farm.list', times: Number.POSITIVE_INFINITY, ...effects, key })
  }

  async function call(fault: FaultName, name: Trial['client']): Promise<Trial> {
    const key = keyOf(fault, name)
    let sent = 0
    const client = createClient({
      apiKey: key,
      baseUrl,
      budget: { credits: LIMIT, exclusiveKey: name === 'exclusiveKey' },
      clock,
      timeoutMs: TIMEOUT_MS,
      deadlineMs: 10 * TIMEOUT_MS,
      onEvent(event) {
        if (event.type === 'request.sent' && event.operation === 'farm.list') sent++
      },
      ...(name === 'etn-market/node' ? { transport } : {}),
    })
    // From here on, the connections to the front and behind it are kept ones.
    const askBalance = async () => {
      if (fault === 'no service') return
      await client.account.me().catch((cause: unknown) => {
        throw new Error(`${fault}, ${name}, account.me: ${cause}`, { cause })
      })
    }
    // An answer that took longer than a second has an Age behind Traffic Server, and a balance with an age proves nothing.
    for (let i = 0; i < MAX_TRIES && (i === 0 || client.credits.remaining === undefined); i++) await askBalance()
    fail(fault, key)
    const outcome = await client.farm.list({}, OPTIONS[fault]).then(
      () => 'ok',
      (error: unknown) => (isEtnMarketError(error) ? `${error.code}, ${error.charge}` : String(error)),
    )
    const filter = { key, operation: 'farm.list' as const }
    const counted = () => client.budget.spent + client.budget.uncertain
    const tries = name === 'exclusiveKey' ? MAX_TRIES : 0
    for (let i = 0; i < tries && counted() < fake.charged(filter); i++) await askBalance()
    const { spent, uncertain } = client.budget
    await client.close()
    const [received, charged] = [fake.journal(filter).length, fake.charged(filter)]
    return { fault, client: name, outcome, sent, received, charged, spent, uncertain }
  }

  // The first call makes the data, which takes longer than all others.
  await ask(`${server.url}/farms/52014`, keyOf('silent', 'bare'))
  const trials: Trial[] = []
  // One at a time: each finds the connection that the one before has left, and none is so slow that the front gives up.
  for (const fault of ['reset once', 'reset each time', 'busy', 'failing'] as const)
    for (const client of CLIENTS) trials.push(await call(fault, client))
  const waiting = ['silent', 'cut short'] as const
  trials.push(...(await Promise.all(waiting.flatMap((fault) => CLIENTS.map((client) => call(fault, client))))))

  const answers: Record<string, { real: Answer; played: Answer }> = {}
  for (const [fault, front] of Object.entries(played) as [FaultName, FakeFront][]) {
    const key = keyOf(fault, 'bare')
    fail(fault, key)
    const real = await ask(`${baseUrl}/farms/52014`, key)
    for (const one of fake.faults()) one.remove()
    fake.fault({ front, key })
    answers[front] = { real, played: await ask(`${server.url}/farms/52014`, key) }
  }

  await server.close()
  trials.push(...(await Promise.all(CLIENTS.map((client) => call('no service', client)))))
  await transport.close()
  await fake.close()
  return { trials, answers }
}

function keyOf(fault: string, name: string): string {
  return `esk_test_${name}_${fault}`.replaceAll(/\W/g, '_')
}

/** Asks over a connection of its own: some fronts break a kept one instead of answering. */
function ask(url: string, key: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false, headers: { authorization: `Bearer ${key}` } }, async (response) => {
      let text = ''
      response.setEncoding('utf8')
      for await (const part of response) text += part
      const { statusCode: status, headers } = response
      resolve({ status, type: headers['content-type'], retryAfter: headers['retry-after'], body: kindOf(text) })
    }).once('error', reject)
  })
}

function kindOf(text: string): Answer['body'] {
  if (text === '') return 'empty'
  if (/<html/i.test(text)) return 'html'
  return text.startsWith('{') ? 'json' : 'text'
}
