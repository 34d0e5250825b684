import { type MarketProxy, toNodeHandler } from 'etn-market/proxy'
import express, { type Express } from 'express'

export function createApp(proxy: MarketProxy): Express {
  const app = express()
  app.use('/api/market', toNodeHandler(proxy))
  app.get('/', (_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end('<div id="app"></div>')
  })
  return app
}
