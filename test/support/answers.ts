/** Headers of an answer; a list makes several lines of one name. */
export type HeaderLines = Readonly<Record<string, string | readonly string[]>>

const written = new WeakMap<Headers, [string, string][]>()

function lines(headers: HeaderLines): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).map((line): [string, string] => [name, line]),
  )
}

function respond(body: string | ReadableStream | null, status: number, headers: HeaderLines): Response {
  const response = new Response(body, { status, headers: lines(headers) })
  written.set(response.headers, lines(headers))
  return response
}

/** The header lines of an answer, which `Headers` would join. */
export const linesOf = ({ headers }: Response) => written.get(headers) ?? [...headers]

export function costs(cost: number, remaining?: number): HeaderLines {
  return {
    'x-credits-cost': String(cost),
    ...(remaining !== undefined && { 'x-credits-remaining': String(remaining) }),
  }
}

/** A success as the service sends it. */
export function ok(data: unknown, headers: HeaderLines = {}): Response {
  return raw(JSON.stringify({ data, cursor: null }), headers)
}

/** A response with this body. */
export function raw(body: string | null, headers: HeaderLines = {}, status = 200): Response {
  return respond(body, status, headers)
}

/** An error as the service sends it. */
export function refusal(status: number, code: string, headers: HeaderLines = {}, message = 'no'): Response {
  return raw(JSON.stringify({ error: { code, message } }), headers, status)
}

export const busy = (headers: HeaderLines = {}) => refusal(503, 'server_busy', headers)
export const limited = (headers: HeaderLines = {}) => refusal(429, 'rate_limited', headers)
export const wait = (seconds: number | string): HeaderLines => ({ 'retry-after': String(seconds) })

/** The HTML page of a gateway whose service does not answer. */
export function html(status: number, headers: HeaderLines = {}): Response {
  return raw('<html><h1>Bad gateway</h1></html>', { ...headers, 'content-type': 'text/html' }, status)
}

/** A response whose body breaks off after its first bytes. */
export function cutOff(headers: HeaderLines = {}, status = 200, error: Error = networkError('ECONNRESET')): Response {
  let begun = false
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (begun) return controller.error(error)
      begun = true
      controller.enqueue(new TextEncoder().encode('{"data":'))
    },
  })
  return respond(body, status, headers)
}

/** A response whose body begins and never ends. */
export function stalled(headers: HeaderLines = {}, status = 200): Response {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"data":')),
  })
  return respond(body, status, headers)
}

/** What Node's fetch throws. */
export function networkError(code: string, message = `${code}: it failed`): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) })
}

export const price = (address: string) => ({ address, usd: '0.0431328059369531392178303', etn: '17.1' })

/** A list of this many tokens. */
export function tokens(count: number): object[] {
  return Array.from({ length: count }, (_, index) => ({
    address: `0x${String(index).padStart(40, '0')}`,
    name: `Token ${index}`,
    symbol: `T${index}`,
    decimals: 18,
    totalSupply: 1_000,
  }))
}
