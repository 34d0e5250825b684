import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AttemptOutcome, HttpAttempt, Transport } from 'etn-market'
import { createNodeTransport } from 'etn-market/node'
import { isNeverSent } from '../../src/transport/outcome.ts'
import { linesOf } from './answers.ts'
import type { Admitted, ScriptedRequest } from './script.ts'
import { createPassage } from './settle.ts'

type Admit = (request: ScriptedRequest) => Admitted

/** One attempt of the client, with the redirects that it follows. */
interface Attempt {
  readonly passage: { busy: boolean }
  readonly signal: AbortSignal
  readonly headers: HttpAttempt['headers']
  readonly context: HttpAttempt['context']
  readonly admit: Admit
  /** Resolves when the client has the headers of the answer. */
  readonly headersArrived: Promise<void>
  stalled: boolean
  /** Ends it with another outcome than that of the connection. */
  endWith(outcome: Promise<AttemptOutcome> | AttemptOutcome): void
}

/** One request of an attempt, which the server waits for. */
interface Expected {
  readonly url: URL
  readonly attempt: Attempt
  /** Set for the first request, which the script records when it is sent, before it arrives. */
  admitted: Admitted | undefined
}

const CLOSED_PORT = 'http://127.0.0.1:1'
const expected = new Map<string, Expected>()
const transport = createNodeTransport()
const server = createServer(receive)
// A connection that it closed while the client sends would lose an answer that no test asked to lose.
server.keepAliveTimeout = 0
await new Promise<void>((resolve) => server.listen({ port: 0, host: '127.0.0.1', backlog: 2_000 }, resolve))
server.unref()
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
let lastId = 0

/** Returns the path under which the server expects a request. */
function expectRequest(request: Expected): string {
  const id = String(++lastId)
  expected.set(id, request)
  return `/${id}${request.url.pathname}${request.url.search}`
}

/** Sends the requests of a script by `createNodeTransport` to a server on this machine. */
export function createRealTransport(admit: Admit, ignoresAbort: boolean): Transport {
  return {
    send: (attempt) =>
      new Promise((resolve) => {
        const passage = createPassage()
        passage.busy = true
        let isReplaced = false
        let noteHeaders = () => {}
        const underway: Attempt = {
          passage,
          signal: attempt.signal,
          headers: attempt.headers,
          context: attempt.context,
          admit,
          headersArrived: new Promise((arrived) => {
            noteHeaders = arrived
          }),
          stalled: false,
          endWith(outcome) {
            isReplaced = true
            end(outcome)
          },
        }
        const end = async (outcome: Promise<AttemptOutcome> | AttemptOutcome) => {
          const ended = await outcome
          passage.busy = false
          noteHeaders()
          resolve(ended)
        }
        const headers = new Headers(attempt.headers)
        const first: Expected = { url: new URL(attempt.url), attempt: underway, admitted: undefined }
        const path = expectRequest(first)
        // What ignores an abort may connect after it.
        const ownSignal = { signal: new AbortController().signal, onConnecting() {} }
        const real: HttpAttempt = {
          ...attempt,
          url: origin + path,
          ...(ignoresAbort && ownSignal),
          beforeSend() {
            attempt.beforeSend()
            if (first.admitted !== undefined) return
            first.admitted = admit({ method: 'GET', url: attempt.url, headers, signal: attempt.signal })
            // The request may never arrive.
            first.admitted.answer.catch(() => {})
          },
          onHeaders(head) {
            passage.busy = !underway.stalled
            noteHeaders()
            attempt.onHeaders(head)
          },
        }
        transport.send(real).then((outcome) => {
          if (!isReplaced) end(outcome)
        })
      }),
  }
}

function receive(request: IncomingMessage, response: ServerResponse): void {
  const [, id = '', path = ''] = /^\/(\d+)(\/.*)$/.exec(request.url ?? '') ?? []
  const found = expected.get(id)
  expected.delete(id)
  // Aborted before it arrived.
  if (found === undefined) return void response.destroy()
  const { url, attempt } = found
  attempt.passage.busy = false
  check(request, path, found)
  const { admit, signal } = attempt
  const admitted =
    found.admitted ?? admit({ method: 'GET', url: url.href, headers: new Headers(attempt.headers), signal })
  admitted.arrive()
  admitted.answer
    .then(async (answer) => {
      attempt.passage.busy = true
      if (answer.type !== 'opaqueredirect') return await send(response, answer, found)
      attempt.endWith({ failure: { kind: 'redirect', mayHaveArrived: true, cause: undefined } })
      response.destroy()
    })
    .catch((error: unknown) => {
      if (signal.aborted) return void response.destroy()
      attempt.passage.busy = true
      fail(response, error, found)
    })
}

/** Checks that the request has arrived as the client sent it. */
function check({ method, headers }: IncomingMessage, path: string, { url, attempt }: Expected): void {
  const names = Object.keys(attempt.headers)
  const arrived = { method, path, headers: names.map((name) => [name, headers[name]]) }
  const wanted = { method: 'GET', path: url.pathname + url.search, headers: Object.entries(attempt.headers) }
  const [is, was] = [JSON.stringify(arrived), JSON.stringify(wanted)]
  if (is !== was) throw new Error(`${is} arrived, but ${was} was sent`)
}

/** Fails a request: resets or refuses a real connection, and reports other errors as the outcome of the attempt. */
function fail(response: ServerResponse, error: unknown, { attempt }: Expected): void {
  const code = ((error as Error).cause as { code?: unknown } | undefined)?.code
  if (code === 'ECONNRESET') return void response.socket?.resetAndDestroy()
  const { headers, context, signal } = attempt
  const refused = () =>
    transport.send({ url: CLOSED_PORT, headers, context, signal, beforeSend: () => {}, onHeaders: () => {} })
  attempt.endWith(
    code === 'ECONNREFUSED'
      ? refused()
      : { failure: { kind: 'network', mayHaveArrived: !isNeverSent(error), cause: error } },
  )
  response.destroy()
}

async function send(response: ServerResponse, answer: Response, { url, attempt }: Expected): Promise<void> {
  const reader = answer.body?.getReader()
  const parts: Uint8Array[] = []
  const read = async (): Promise<'whole' | 'broken'> => {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true }
      if (done) return 'whole'
      parts.push(value)
    }
  }
  const turns = async () => {
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
    return 'stalled' as const
  }
  const end = await Promise.race([read().catch(() => 'broken' as const), turns()])
  const body = Buffer.concat(parts)
  const bodiless = answer.body === null || [204, 304].includes(answer.status)
  const length = bodiless ? 0 : body.length + (end === 'whole' ? 0 : 1_000)
  attempt.stalled = end === 'stalled'
  response.sendDate = false
  const lines = linesOf(answer).map(([name, value]) => [
    name,
    name.toLowerCase() === 'location' ? realLocation(value, url, attempt) : value,
  ])
  response.writeHead(answer.status, [...lines.flat(), 'content-length', String(length)])
  if (end === 'whole') return void response.end(body)
  if (body.length > 0) response.write(body)
  else response.flushHeaders()
  if (end === 'stalled') return
  await attempt.headersArrived
  response.socket?.resetAndDestroy()
}

/** The location of a redirect on this machine. A redirect to another origin is not changed. */
function realLocation(location: string, current: URL, attempt: Attempt): string {
  if (!URL.canParse(location, current.href)) return location
  const url = new URL(location, current.href)
  return url.origin === current.origin ? expectRequest({ url, attempt, admitted: undefined }) : location
}
