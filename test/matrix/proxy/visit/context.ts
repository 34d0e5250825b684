import { connect } from 'node:net'
import { type Client, createClient } from 'etn-market'
import { controlService, type ServiceControl } from '../../support/service.ts'
import { BASE_PATH, VISITOR_HEADER } from '../settings.ts'

/** An answer of the proxy, read to its end. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** The input of each step. */
export interface VisitContext {
  readonly service: ServiceControl
  /** The origin of the server. */
  readonly origin: string
  /** Asks for a path below the proxy's base path. */
  ask(path: string, visitor: string, init?: RequestInit): Promise<Answer>
  /** Opens a path of which the body is read by the caller. */
  open(path: string, visitor: string, signal: AbortSignal): Promise<Response>
  /** Sends a path as it is written. Returns the status. */
  askRaw(path: string, visitor: string): Promise<number>
  /** A client as a page of this visitor has it. */
  page(visitor: string): Client
  /** Everything that was answered: status lines, headers and bodies. */
  readonly received: string[]
}

export function createContext(origin: string, serviceUrl: string): VisitContext {
  const received: string[] = []
  const base = origin + BASE_PATH
  return {
    service: controlService(serviceUrl),
    origin,
    received,
    async ask(path, visitor, init = {}) {
      const response = await fetch(base + path, { ...init, headers: { ...init.headers, [VISITOR_HEADER]: visitor } })
      const text = await response.text()
      received.push(JSON.stringify([...response.headers]), text)
      return { status: response.status, headers: response.headers, text }
    },
    open: (path, visitor, signal) => fetch(base + path, { headers: { [VISITOR_HEADER]: visitor }, signal }),
    async askRaw(path, visitor) {
      const text = await sendRaw(new URL(origin), BASE_PATH + path, { [VISITOR_HEADER]: visitor })
      received.push(text)
      return Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1])
    },
    page: (visitor) => createClient({ baseUrl: base, headers: { [VISITOR_HEADER]: visitor } }),
  }
}

/** The code of the error that an answer holds. */
export const codeOf = ({ text }: Answer): unknown => JSON.parse(text).error.code

/** Tokens that the fake service lists. */
export const ADDRESSES = [
  '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1',
  '0x309B916b3A90cb3E071697Ea9680e9217A30066f',
  '0xEe432C220273e4F949007B4c1946562826Efa055',
  '0xc20d02538368D8F7deBeAeB99D9a8b4d4D1DDC1C',
  '0x138DAFbDA0CCB3d8E39C19edb0510Fc31b7C1c77',
] as const
export const [BOLT] = ADDRESSES

export const priceOf = (address: string): string => `/prices/52014/${address}`

/** Sends a GET of which nothing normalises the path, and returns the whole answer as text. */
function sendRaw({ hostname, port, host }: URL, path: string, headers: Record<string, string>): Promise<string> {
  const lines = Object.entries({ host, connection: 'close', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(Number(port), hostname)
      .setEncoding('latin1')
      .on('data', (part) => {
        text += part
        // workerd keeps the connection for 5 seconds, although it is asked to close it.
        if (isComplete(text)) socket.destroy()
      })
      .on('error', reject)
      .on('close', () => resolve(text))
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  })
}

/** By the length that the headers state, or the last chunk. */
function isComplete(text: string): boolean {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const body = rest.join('\r\n\r\n')
  const length = /^content-length: *(\d+)/im.exec(head)?.[1]
  return length === undefined ? body.endsWith('0\r\n\r\n') : body.length >= Number(length)
}
