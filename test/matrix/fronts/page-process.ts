import { createRequire } from 'node:module'
import { playPage } from './page.ts'

// The ports of the front and of the proxy are the arguments; without a front, Express compresses in the process of the proxy itself.
const [, , front = '', upstream = ''] = process.argv

async function compressed(handler: (request: never, response: never) => void) {
  const require = createRequire(import.meta.url)
  const app = require('express')()
  app.use(require('compression')({ threshold: 0 }))
  app.use(handler)
  return app
}

const port = Number(upstream)
const played = front === 'express' ? playPage(port, port, compressed) : playPage(Number(front), port)
played.then(
  (report) => process.stdout.write(`${JSON.stringify(report)}\n`),
  (error: unknown) => process.stderr.write(`${error}\n`, () => process.exit(1)),
)
