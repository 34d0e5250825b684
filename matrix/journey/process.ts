import * as market from 'etn-market'
import { journey } from './journey.ts'

// Node, Bun and Deno: the base URL is the first argument. Nothing here ends the process: it has to end by itself.
journey(market, process.argv[2] ?? '').then((report) => process.stdout.write(`${JSON.stringify(report)}\n`))
