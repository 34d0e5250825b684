import { inspect } from 'node:util'
import * as market from 'etn-market'
import { createNodeTransport, type HttpAgent } from 'etn-market/node'
import type { ProxyReport } from '../runtimes/forward-proxies.ts'

/** Makes one call through a forward proxy, in the way that the third argument names. */
const [baseUrl = '', proxy = '', way = ''] = process.argv.slice(2)

const WAYS: Record<string, () => Promise<market.ClientOptions>> = {
  'fetch of the runtime': async () => ({}),
  'a dispatcher of undici 7': async () => {
    const { ProxyAgent } = await import('undici')
    const init = { dispatcher: new ProxyAgent(proxy) as never }
    return { fetch: (url, given) => fetch(url, { ...given, ...init }) }
  },
  'undici 7': async () => {
    const { fetch, ProxyAgent } = await import('undici')
    const dispatcher = new ProxyAgent(proxy)
    return { fetch: (url, init) => fetch(url, { ...init, dispatcher }) }
  },
  'undici 6': async () => {
    const { fetch, ProxyAgent } = await import('undici6')
    const dispatcher = new ProxyAgent(proxy)
    return { fetch: (url, init) => fetch(url, { ...init, dispatcher }) }
  },
  setGlobalDispatcher: async () => {
    const { EnvHttpProxyAgent, setGlobalDispatcher } = await import('undici')
    setGlobalDispatcher(new EnvHttpProxyAgent())
    return {}
  },
  'https-proxy-agent': async () => overAgent(new (await import('https-proxy-agent')).HttpsProxyAgent(proxy)),
  'proxy-agent': async () => overAgent(new (await import('proxy-agent')).ProxyAgent()),
  hpagent: async () => overAgent(new (await import('hpagent')).HttpsProxyAgent({ proxy })),
  proxyEnv: async () => {
    const { Agent } = await import('node:https')
    // Newer than the types of the oldest Node.
    const options: object = { proxyEnv: process.env }
    return overAgent(new Agent(options))
  },
  globalAgent: async () => {
    const [{ globalAgent: http }, { globalAgent: https }] = await Promise.all([
      import('node:http'),
      import('node:https'),
    ])
    return { transport: createNodeTransport({ agent: { http, https } }) }
  },
}

const overAgent = (https: HttpAgent): market.ClientOptions => ({ transport: createNodeTransport({ agent: { https } }) })

const client = market.createClient({
  apiKey: 'esk_test_x',
  baseUrl,
  budget: { credits: 1_000 },
  ...(await WAYS[way]?.()),
})
const password = new URL(proxy).password
let tellsPassword = false
const outcome = await client.etn.price().then(
  ({ usd }) => ({ usd }),
  (error) => {
    const text = `${inspect(error, { depth: 20, showHidden: true })}${JSON.stringify(error)}`
    tellsPassword = text.includes(password) || text.includes(btoa(`${new URL(proxy).username}:${password}`))
    const { name, code, status, attempts, charge } = error
    return { name, code, status, attempts, charge }
  },
)
const { spent, uncertain } = client.budget
const report: ProxyReport = { outcome, spent, uncertain, tellsPassword }
process.stdout.write(JSON.stringify(report))
process.exit()
