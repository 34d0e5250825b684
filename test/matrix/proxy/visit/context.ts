import { type Client, createClient } from 'etn-market'
import { controlService, type ServiceControl } from '../../support/control.ts'
import { BASE_PATH, VISITOR_HEADER } from '../settings.ts'
import { sendRaw } from './raw-request.ts'

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
