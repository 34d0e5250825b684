import * as market from 'etn-market'
import { createNodeFetch } from 'etn-market/node'
import { journey } from './journey.ts'
import type { Market } from './types.ts'

// As process.ts, by way of the transport for Node. It is not closed: idle connections must not keep the process from ending.
const fetch = createNodeFetch()
const overNode: Market = { ...market, createClient: (options) => market.createClient({ fetch, ...options }) }
journey(overNode, process.argv[2] ?? '').then((report) => process.stdout.write(`${JSON.stringify(report)}\n`))
