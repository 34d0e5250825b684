import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FetchResponse } from 'etn-market'
import { createNodeFetch } from 'etn-market/node'
import { linesOf } from './answers.ts'
import { createPassage } from './quiet.ts'

/** A request that a script is to be asked over a real connection. */
export interface Letter {
  readonly url: string
  readonly init: RequestInit
  /** It is there: the script may answer. */
  arrive(): void
  /** What the script says, whenever it says it. */
  readonly answer: Promise<Response>
}

interface Underway extends Letter {
  readonly passage: { busy: boolean }
  /** Resolves when the caller has the headers of the answer. */
  readonly delivered: Promise<unknown>
  stalled: boolean
  /** Ends it in another way than by what comes over the connection. */
  instead(end: Promise<FetchResponse>): void
}

const NOBODY_LISTENS = 'http://127.0.0.1:1'
const letters = new Map<string, Underway>()
const fetch = createNodeFetch()
const server = createServer(receive)
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
server.unref()
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
let sent = 0

/** Sends a letter by `createNodeFetch` and brings back what comes of it. */
export function carry(letter: Letter): Promise<FetchResponse> {
  const id = String(++sent)
  const { pathname, search } = new URL(letter.url)
  const passage = createPassage()
  passage.busy = true
  // It may never be asked for.
  letter.answer.catch(() => {})
  return new Promise((resolve, reject) => {
    let replaced = false
    const settle = (end: Promise<FetchResponse>) =>
      end.then(
        (response) => {
          passage.busy = false
          resolve(watched(response, underway))
        },
        (reason) => {
          passage.busy = false
          letters.delete(id)
          reject(reason)
        },
      )
    const real = fetch(`${origin}/${id}${pathname}${search}`, letter.init)
    const underway: Underway = {
      ...letter,
      passage,
      delivered: real,
      stalled: false,
      instead(end) {
        replaced = true
        settle(end)
      },
    }
    letters.set(id, underway)
    real.then(
      () => settle(real),
      () => {
        if (!replaced) settle(real)
      },
    )
  })
}

/** The same response, which tells when its body is on its way. */
function watched(response: FetchResponse, underway: Underway): FetchResponse {
  if (response instanceof Response) return response
  return {
    ...response,
    text() {
      underway.passage.busy = !underway.stalled
      const text = response.text()
      const over = () => {
        underway.passage.busy = false
      }
      text.then(over, over)
      return text
    },
  }
}

function receive(request: IncomingMessage, response: ServerResponse): void {
  const [, id = '', path = ''] = /^\/(\d+)(\/.*)$/.exec(request.url ?? '') ?? []
  const underway = letters.get(id)
  letters.delete(id)
  // Given up while it was on its way.
  if (underway === undefined) return void response.destroy()
  const { passage, answer } = underway
  passage.busy = false
  check(request, path, underway)
  underway.arrive()
  answer
    .then((answered) => {
      passage.busy = true
      if (answered.type === 'opaqueredirect') underway.instead(Promise.resolve(answered))
      return answered.type === 'opaqueredirect' ? void response.destroy() : send(response, answered, underway)
    })
    .catch((error: unknown) => {
      if (underway.init.signal?.aborted) return void response.destroy()
      passage.busy = true
      fail(response, error, underway)
    })
}

/** What arrives is what the client meant to send. */
function check({ method, headers }: IncomingMessage, path: string, { url, init }: Letter): void {
  const meant = new URL(url)
  const arrived = { method, path, headers: Object.entries(init.headers ?? {}).map(([name]) => [name, headers[name]]) }
  const wanted = {
    method: init.method,
    path: meant.pathname + meant.search,
    headers: Object.entries(init.headers ?? {}),
  }
  const [is, was] = [JSON.stringify(arrived), JSON.stringify(wanted)]
  if (is !== was) throw new Error(`${is} arrived, but ${was} was sent`)
}

/** Breaks the connection as the script says: a reset and a closed port for real, what no server can bring about as it stands. */
function fail(response: ServerResponse, error: unknown, underway: Underway): void {
  const code = ((error as Error).cause as { code?: unknown } | undefined)?.code
  if (code === 'ECONNRESET') return void response.socket?.resetAndDestroy()
  underway.instead(code === 'ECONNREFUSED' ? fetch(NOBODY_LISTENS, underway.init) : Promise.reject(error))
  response.destroy()
}

async function send(response: ServerResponse, answer: Response, underway: Underway): Promise<void> {
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
  underway.stalled = end === 'stalled'
  response.sendDate = false
  response.writeHead(answer.status, [...linesOf(answer).flat(), 'content-length', String(length)])
  if (end === 'whole') return void response.end(body)
  if (body.length > 0) response.write(body)
  else response.flushHeaders()
  if (end === 'stalled') return
  await underway.delivered
  response.socket?.resetAndDestroy()
}
