import type { FakeService } from 'etn-market/fake'
import { cutOff, html, networkError, refusal } from '../support/answers.ts'
import type { VirtualClock } from '../support/clock.ts'
import type { ScriptedRequest } from '../support/script.ts'

/** What the service does with one request. */
export interface Behaviour {
  readonly how:
    | 'answers'
    | 'answers without a cost'
    | 'fails'
    | 'refuses the connection'
    | 'resets before'
    | 'resets after'
    | 'cuts off'
    | 'cuts off after the headers'
    | 'gateway'
    | 'never answers'
    | 'executes late'
  readonly latencyMs: number
  /** When a request that executes late is executed. */
  readonly lateMs: number
}

const WELL: Behaviour = { how: 'answers', latencyMs: 0, lateMs: 0 }

/** The fake behind a network that loses answers. Its ledger says what was charged. */
export function createModelService(fake: FakeService, clock: VirtualClock, behaviours: readonly Behaviour[]) {
  let requests = 0
  let isWell = false

  /** @param onCharge gets what the request was charged, at the moment at which it is executed */
  async function receive(request: ScriptedRequest, onCharge: (credits: number) => void): Promise<Response> {
    const behaviour = behaviours[requests++ % behaviours.length]
    const { how, latencyMs, lateMs }: Behaviour = isWell || !behaviour ? WELL : behaviour
    const execute = () => {
      const before = fake.charged()
      // Without its signal: what has arrived is executed.
      const answer = fake.fetch(request.url, { headers: request.headers })
      // The charge is made when the request arrives.
      onCharge(fake.charged() - before)
      return answer
    }
    if (how === 'refuses the connection') throw networkError('ECONNREFUSED')
    if (how === 'resets before') throw networkError('ECONNRESET')
    if (how === 'fails') return refusal(500, 'internal')
    if (how === 'executes late') {
      clock.sleep(lateMs).then(execute)
      return abortion(request.signal)
    }
    const answer = execute()
    if (latencyMs > 0) await clock.sleep(latencyMs, request.signal)
    if (how === 'never answers') return abortion(request.signal)
    if (how === 'resets after') throw networkError('ECONNRESET')
    if (how === 'gateway') return html(504)
    if (how === 'cuts off') return cutOff()
    const { headers, status } = await answer
    if (how === 'cuts off after the headers') return cutOff(Object.fromEntries(headers), status)
    if (how === 'answers') return answer
    headers.delete('x-credits-cost')
    return new Response(await (await answer).text(), { headers, status })
  }

  return {
    receive,
    recover() {
      isWell = true
    },
  }
}

function abortion(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const onAbort = () => reject(signal.reason)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
}
