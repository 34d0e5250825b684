import * as market from 'etn-market'
import { runScenario } from './scenario.ts'

interface FetchEvent {
  readonly request: Request
  respondWith(response: Promise<Response>): void
}

declare function addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void

addEventListener('fetch', ({ request, respondWith }) => {
  const baseUrl = new URL(request.url).searchParams.get('baseUrl') ?? ''
  respondWith(runScenario(market, baseUrl).then((report) => new Response(JSON.stringify(report))))
})
