import * as market from 'etn-market'
import { createNodeTransport } from 'etn-market/node'
import { type Market, runScenario } from './scenario.ts'

// As process.ts, with the Node transport. It is not closed: idle connections must not keep the process alive.
const transport = createNodeTransport()
// It has no hooks.
const overNode: Market = {
  ...market,
  createClient: (options = {}) => market.createClient(options.hooks ? options : { transport, ...options }),
}
runScenario(overNode, process.argv[2] ?? '').then((report) => process.stdout.write(`${JSON.stringify(report)}\n`))
