/** A loopback service that responds at once from prepared bodies, so that a run measures the client. */
import { createServer } from 'node:http'
import { checksumAddress } from 'etn-market'
import { addresses, prepare } from './answers.mjs'

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
server.listen(0, '127.0.0.1', () =>
  process.send({ baseUrl: `http://127.0.0.1:${server.address().port}/v1`, addresses: addresses.map(checksumAddress) }),
)
process.on('disconnect', () => process.exit())
