import * as market from 'etn-market'
import { journey } from './journey.ts'

// biome-ignore lint/style/noDefaultExport: this is how a worker says what it answers with
export default {
  async fetch(request: Request): Promise<Response> {
    return Response.json(await journey(market, new URL(request.url).searchParams.get('baseUrl') ?? ''))
  },
}
