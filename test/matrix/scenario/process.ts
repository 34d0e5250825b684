import * as market from 'etn-market'
import { runScenario } from './scenario.ts'

// Node, Bun and Deno: the base URL is the first argument. The process must exit by itself, so nothing here exits it.
runScenario(market, process.argv[2] ?? '').then((report) => process.stdout.write(`${JSON.stringify(report)}\n`))
