/** The clients that are compared. Each loads its packages when it connects, so that a process has those of one client. */

const TIMEOUT_MS = 15_000
const RETRIES = 2

/** The calls of every workload, for a client that takes a path. `get` also gets the name of the call. */
const callsOver = (get) => ({
  light: (address) => get(`/prices/52014/${address}`, 'light'),
  candles: (address) => get(`/tokens/52014/${address}/candles?limit=500`, 'candles'),
  batch: (addresses) => get(`/prices/52014?addresses=${addresses}`, 'batch'),
})

function bareFetch({ baseUrl, headers }) {
  return callsOver(async (path) => {
    const response = await fetch(`${baseUrl}${path}`, { headers })
    return (await response.json()).data
  })
}

async function nodeHttp({ baseUrl, headers }) {
  const { Agent, get } = await import('node:http')
  const agent = new Agent({ keepAlive: true })
  const read = (url) =>
    new Promise((resolve, reject) => {
      const request = get(url, { agent, headers }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (part) => {
          text += part
        })
        response.on('end', () => resolve(text))
        response.on('error', reject)
      })
      request.on('error', reject)
    })
  return callsOver(async (path) => JSON.parse(await read(`${baseUrl}${path}`)).data)
}

async function undici({ baseUrl, headers }) {
  const { request } = await import('undici')
  return callsOver(async (path) => {
    const { body } = await request(`${baseUrl}${path}`, { headers })
    return (await body.json()).data
  })
}

async function ky({ baseUrl, headers }) {
  const { default: create } = await import('ky')
  const http = create.create({ prefixUrl: baseUrl, headers })
  return callsOver(async (path) => (await http.get(path.slice(1)).json()).data)
}

/** What a team writes without a client: ky sends, p-retry repeats, zod/mini checks. */
async function plainComposition({ baseUrl, headers }) {
  const { default: ky } = await import('ky')
  const { default: pRetry, AbortError } = await import('p-retry')
  const z = await import('zod/mini')
  const price = z.looseObject({ usd: z.string(), etn: z.string() })
  const figures = ['time', 'open', 'high', 'low', 'close', 'volume', 'count']
  const candle = z.looseObject(Object.fromEntries(figures.map((name) => [name, z.number()])))
  const schemas = {
    light: z.looseObject({ data: z.extend(price, { address: z.string() }) }),
    candles: z.looseObject({ data: z.array(candle) }),
    batch: z.looseObject({ data: z.record(z.string(), z.nullable(price)) }),
  }
  const http = ky.create({ prefixUrl: baseUrl, headers, retry: 0, timeout: false, throwHttpErrors: false })

  async function attempt(path, schema) {
    const response = await http.get(path.slice(1), { signal: AbortSignal.timeout(TIMEOUT_MS) })
    if (!response.ok) {
      const error = new Error(`The service answered ${response.status}.`)
      throw response.status === 429 || response.status >= 500 ? error : new AbortError(error)
    }
    const { success, data, error } = z.safeParse(schema, await response.json())
    if (!success) throw new AbortError(error)
    return data.data
  }

  return callsOver((path, workload) => pRetry(() => attempt(path, schemas[workload]), { retries: RETRIES }))
}

async function ofetch({ baseUrl, headers }) {
  const { ofetch: create } = await import('ofetch')
  const http = create.create({ baseURL: baseUrl, headers })
  return callsOver(async (path) => (await http(path)).data)
}

async function openapiFetch({ baseUrl, headers }) {
  const { default: createClient } = await import('openapi-fetch')
  const http = createClient({ baseUrl, headers, querySerializer: { array: { style: 'form', explode: false } } })
  const get = async (path, params) => (await http.GET(path, { params })).data.data
  return {
    light: (address) => get('/prices/52014/{address}', { path: { address } }),
    candles: (address) => get('/tokens/52014/{address}/candles', { path: { address }, query: { limit: 500 } }),
    batch: (addresses) => get('/prices/52014', { query: { addresses } }),
  }
}

async function axios({ baseUrl, headers }) {
  const { default: create } = await import('axios')
  const http = create.create({ baseURL: baseUrl, headers })
  return callsOver(async (path) => (await http.get(path)).data.data)
}

async function coingecko({ baseUrl, headers }) {
  const { default: Coingecko } = await import('@coingecko/coingecko-typescript')
  // Without this null header, the client requires a key of its own.
  const client = new Coingecko({ baseURL: baseUrl, defaultHeaders: { ...headers, 'x-cg-pro-api-key': null } })
  return callsOver(async (path) => (await client.get(path)).data)
}

/** Every feature on: validation, a budget, the timeout, events, deduplication. `folder` has the build that is measured. */
async function ours({ baseUrl, apiKey, folder }, transport) {
  const { createClient } = await import(`${folder}/dist/index.js`)
  const budget = { credits: Number.MAX_SAFE_INTEGER }
  const client = createClient({ apiKey, baseUrl, transport, budget, onEvent: () => {} })
  return {
    light: (address) => client.token.price({ address }),
    candles: (address, options) => client.token.candles({ address, limit: 500 }, options),
    batch: (addresses) => client.prices.batch({ addresses }),
  }
}

async function oursOnNode(service) {
  const { createNodeTransport } = await import(`${service.folder}/dist/node.js`)
  return ours(service, createNodeTransport())
}

export const contenders = {
  fetch: bareFetch,
  'node-http': nodeHttp,
  undici,
  ky,
  plain: plainComposition,
  ofetch,
  'openapi-fetch': openapiFetch,
  axios,
  coingecko,
  'etn-market': ours,
  'etn-market-node': oursOnNode,
}
