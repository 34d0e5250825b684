import type { MarketProxy } from 'etn-market/proxy'
import express, { type Express } from 'express'
import { toNodeHandler, toRequest } from './node-handler.ts'
import { newVisitorCookie, visitorOf } from './visitor.ts'

export function createApp(proxy: MarketProxy): Express {
  const app = express()
  app.use('/api/market', toNodeHandler(proxy))
  app.get('/', async (request, response) => {
    if (!(await visitorOf(toRequest(request)))) response.setHeader('set-cookie', await newVisitorCookie())
    response.setHeader('content-type', 'text/html')
    response.end('<div id="app"></div>')
  })
  return app
}
