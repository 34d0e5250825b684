import * as market from 'etn-market'
import { createNodeTransport } from 'etn-market/node'
import { runScenario } from './run-scenario.ts'
import type { Market } from './types.ts'

// As process.ts, with the Node transport. It is not closed: idle connections must not keep the process alive.
const transport = createNodeTransport()
const overNode: Market = { ...market, createClient: (options) => market.createClient({ transport, ...options }) }
runScenario(overNode, process.argv[2] ?? '').then((report) => process.stdout.write(`${JSON.stringify(report)}\n`))
