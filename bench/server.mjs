// A loopback service that answers at once: what is measured is the client.
import { createServer } from 'node:http'

const ADDRESS = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'
const body = JSON.stringify({
  data: { address: ADDRESS, usd: '0.0431328059369531392178303', etn: '17.2531223747812556871321' },
  cursor: null,
})
let remaining = 1_000_000_000

const server = createServer((_request, response) => {
  remaining -= 50
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-credits-cost': '50',
    'x-credits-remaining': String(remaining),
  })
  response.end(body)
})

server.listen(0, '127.0.0.1', () => process.send?.(server.address().port))
process.on('disconnect', () => process.exit())
