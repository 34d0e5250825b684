import * as market from 'etn-market'
import { runScenario } from './scenario.ts'

// biome-ignore lint/style/noDefaultExport: a worker exports its handler as default
export default {
  async fetch(request: Request): Promise<Response> {
    return Response.json(await runScenario(market, new URL(request.url).searchParams.get('baseUrl') ?? ''))
  },
}
