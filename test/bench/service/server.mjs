/** A loopback service that responds at once from prepared bodies, so that a run measures the client. */
import { createServer } from 'node:http'
import { addresses } from './addresses.mjs'
import { createBody } from './bodies.mjs'

/** Enough for every repeated request. New addresses make URLs without end. */
const MAX_PREPARED = 2_000

const prepared = new Map()
let remaining = 1_000_000_000_000

const server = createServer(({ url }, response) => {
  const { body, cost } = prepare(url)
  remaining -= cost
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': body.length,
    'x-credits-cost': cost,
    'x-credits-remaining': remaining,
  })
  response.end(body)
})

function prepare(url) {
  const known = prepared.get(url)
  if (known !== undefined) return known
  if (prepared.size >= MAX_PREPARED) prepared.clear()
  const made = createBody(url)
  prepared.set(url, made)
  return made
}

server.listen(0, '127.0.0.1', () =>
  process.send({ baseUrl: `http://127.0.0.1:${server.address().port}/v1`, addresses }),
)
process.on('disconnect', () => process.exit())
