/** Measures the CPU time of this process for one call through the proxy, and through a bare pass-through. */
import { createClient } from 'etn-market'
import { createNodeTransport } from 'etn-market/node'
import { createProxy } from 'etn-market/proxy'

const WARM_UP = 2_000
const CALLS = 5_000
const ROUNDS = 5
const IN_FLIGHT = 50
const VISITORS = 1_000
const KEY = 'esk_test_bench'

const { baseUrl, addresses } = JSON.parse(process.env.JOB ?? '{}') as { baseUrl: string; addresses: readonly string[] }

type Handler = (request: Request) => Promise<Response>

function createHandler(cacheMs: number): Handler {
  const client = createClient({ apiKey: KEY, baseUrl, transport: createNodeTransport() })
  return createProxy({
    client,
    allow: [{ operation: 'token.price', cacheMs }],
    visitor: (request) => request.headers.get('x-visitor'),
    perVisitor: { credits: 1_000_000_000, windowMs: 3_600_000 },
    budget: { credits: 1_000_000_000_000, windowMs: 86_400_000 },
  })
}

const passThrough: Handler = async (request) => {
  const { pathname, search } = new URL(request.url)
  const response = await fetch(baseUrl + pathname + search, { headers: { authorization: `Bearer ${KEY}` } })
  return new Response(response.body, { status: response.status, headers: response.headers })
}

/** CPU microseconds of a call. */
async function measure(handler: Handler, calls: number): Promise<number> {
  let next = 0
  const visit = async () => {
    while (next < calls) {
      const number = next++
      const path = `/prices/52014/${addresses[number % addresses.length]}`
      const headers = { 'x-visitor': `visitor ${number % VISITORS}` }
      const response = await handler(new Request(`http://dapp.example${path}`, { headers }))
      if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
      await response.text()
    }
  }
  const before = process.cpuUsage()
  await Promise.all(Array.from({ length: IN_FLIGHT }, visit))
  const { user, system } = process.cpuUsage(before)
  return (user + system) / calls
}

const handlers = { passThrough, proxy: createHandler(0), cached: createHandler(3_600_000) }
const figures: Record<keyof typeof handlers, number[]> = { passThrough: [], proxy: [], cached: [] }
for (const handler of Object.values(handlers)) await measure(handler, WARM_UP)
for (let round = 0; round < ROUNDS; round++) {
  figures.passThrough.push(await measure(handlers.passThrough, CALLS))
  figures.proxy.push(await measure(handlers.proxy, CALLS))
  figures.cached.push(await measure(handlers.cached, CALLS))
}
process.send?.(figures)
process.exit()
