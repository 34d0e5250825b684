/**
 * Serves one answer over `node:http`: of the proxy, which has kept it, and of a plain handler of Hono with a Map. Answers each message with the CPU
 * time since the one before, in microseconds.
 */
import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { createClient } from 'etn-market'
import { toNodeHandler } from 'etn-market/proxy'
import { Hono } from 'hono'
import { answerAtOnce, openProxy } from './market.ts'

const PATH = '/prices/52014/0x0000000000000000000000000000000000000001'

const client = createClient({ apiKey: 'esk_test_bench', fetch: answerAtOnce })
const proxy = openProxy({ client, allow: [{ operation: 'token.price', cacheMs: 3_600_000 }] })

const kept = new Map()
const app = new Hono()
app.get('/prices/*', async (context) => {
  const { url } = context.req
  const text = kept.get(url) ?? (await (await proxy(context.req.raw)).text())
  kept.set(url, text)
  return context.body(text, 200, { 'content-type': 'application/json', 'cache-control': 'private, no-cache' })
})

const handlers = { proxy: toNodeHandler(proxy), hono: getRequestListener(app.fetch) }
const server = createServer((request, response) => {
  const { hono, proxy } = handlers
  void (request.headers['x-handler'] === 'hono' ? hono : proxy)(request, response)
})
server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${server.address().port}${PATH}` })
})

let before = process.cpuUsage()
process.on('message', () => {
  const { user, system } = process.cpuUsage(before)
  process.send?.(user + system)
  before = process.cpuUsage()
})
