import { rejectUnknown } from '../errors/input.ts'
import { acceptLightSignal, failed, NOT_SENT, type Progress } from '../transport/outcome.ts'
import { followRedirects, isRedirect, redirected } from '../transport/redirects.ts'
import { failureOfBody } from '../transport/response-text.ts'
import type { AttemptOutcome, HttpAttempt, Transport } from '../transport/transport.ts'
import { ASYNC_DISPOSE } from '../utils/runtime.ts'
import { AgentPool, errorWithCode, fetchError, type HttpAgent } from './agent-pool.ts'
import { parseTarget, sendHttpRequest } from './http-request.ts'

/** Options of `createNodeTransport`. */
export interface NodeTransportOptions {
  /**
   * An agent of your own to send requests through, for both protocols or one for each. Its connections, limits and timeouts are
   * yours, and `close()` does not destroy it. `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` are honoured by an agent that reads them,
   * such as the one of the package `proxy-agent`.
   * @default a keep-alive agent for each protocol, which uses no proxy
   * @example
   * const agent = new ProxyAgent() // of the package proxy-agent
   * const transport = createNodeTransport({ agent })
   */
  agent?:
    | HttpAgent
    | {
        /** The agent for `http:` URLs. */
        readonly http?: HttpAgent | undefined
        /** The agent for `https:` URLs. */
        readonly https?: HttpAgent | undefined
      }
    | undefined
}

/** A transport that sends requests by `node:http` and `node:https`. */
export interface NodeTransport extends Transport {
  /**
   * Ends the requests in flight and the connections of the transport's own agents, and resolves when they are closed. Later
   * requests fail without being sent.
   */
  close(): Promise<void>
  /** Closes the transport: `await using transport = createNodeTransport()`. */
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Creates a transport for `createClient` that uses `node:http` and `node:https` directly. It takes a fraction of the CPU time of
 * Node's fetch. It speaks HTTP/1.1 and decodes gzip, deflate and brotli. Several clients may share one.
 *
 * Idle connections are closed after a second, because a request that is sent while the other side closes one is lost. They do not keep the process
 * alive. Nothing is sent twice.
 *
 * @example
 * const transport = createNodeTransport()
 * const client = createClient({ transport })
 * await client.etn.price()
 * await client.close()
 * await transport.close()
 * @throws TypeError when `agent` is not an agent
 * @throws InvalidRequestError for an unknown option
 */
export function createNodeTransport(options: NodeTransportOptions = {}): NodeTransport {
  rejectUnknown('transport option', options, ['agent'])
  const pool = new AgentPool(resolveAgents(options.agent))
  let isClosed = false

  const send = async (attempt: HttpAttempt): Promise<AttemptOutcome> => {
    const { url, signal } = attempt
    const progress: Progress = { sent: false, head: undefined }
    const beforeSend = () => {
      attempt.beforeSend()
      progress.sent = true
    }
    const request = (to: string) => {
      signal.throwIfAborted()
      if (isClosed) throw fetchError('fetch failed', errorWithCode('The transport was closed', NOT_SENT))
      const target = parseTarget(to)
      return sendHttpRequest(attempt, target, pool.agentFor(target.protocol === 'https:'), beforeSend)
    }
    try {
      const first = await request(url)
      const response = isRedirect(first) ? await followRedirects(url, first, request) : first
      if (isRedirect(response)) return redirected(response)
      progress.head = { status: response.status, headers: response.headers }
      attempt.onHeaders(progress.head)
      const text = await response.body.text
      return { response: { status: response.status, headers: response.headers, text } }
    } catch (error) {
      return failed(signal.aborted ? 'aborted' : failureOfBody(error), progress, error)
    }
  }

  const close = () => {
    isClosed = true
    return pool.close()
  }

  return { send: acceptLightSignal(send), close, [ASYNC_DISPOSE]: close }
}

function resolveAgents(agent: NodeTransportOptions['agent']): { http?: HttpAgent; https?: HttpAgent } {
  if (agent === undefined) return {}
  if (isAgent(agent)) return { http: agent, https: agent }
  if (typeof agent === 'object' && agent !== null) {
    rejectUnknown('protocol of agent', agent, ['http', 'https'])
    const { http, https } = agent
    const areAgents = [http, https].every((one) => one === undefined || isAgent(one))
    if (areAgents) return { ...(http && { http }), ...(https && { https }) }
  }
  throw new TypeError('Invalid agent. It must be an http.Agent, an https.Agent, or { http, https }.')
}

function isAgent(value: unknown): value is HttpAgent {
  return typeof value === 'object' && value !== null && typeof (value as Partial<HttpAgent>).destroy === 'function'
}
