/** A loopback service that answers at once, from what it has ready: what is measured is the client. */
import { createServer } from 'node:http'
import { addresses } from './addresses.mjs'
import { answer } from './answers.mjs'

const ready = new Map()
let remaining = 1_000_000_000_000

const server = createServer(({ url }, response) => {
  if (!ready.has(url)) ready.set(url, answer(url))
  const { body, cost } = ready.get(url)
  remaining -= cost
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': body.length,
    'x-credits-cost': cost,
    'x-credits-remaining': remaining,
  })
  response.end(body)
})

server.listen(0, '127.0.0.1', () =>
  process.send({ baseUrl: `http://127.0.0.1:${server.address().port}/v1`, addresses }),
)
process.on('disconnect', () => process.exit())
