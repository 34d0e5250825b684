import type { Agent, AgentOptions, ClientRequest, RequestOptions } from 'node:http'
import type { Socket } from 'node:net'

/** An agent of `node:http` or `node:https`, or one that extends them, such as a `ProxyAgent` of the package proxy-agent. */
export interface HttpAgent {
  /** The maximum of connections to one host. */
  readonly maxSockets: number
  /** Closes the connections that are idle. */
  destroy(): void
}

export interface ProtocolAgent {
  readonly agent: Agent
  /** Whether the transport made the agent, and so decides on its connections. */
  readonly isOwn: boolean
  /** `http.request` or `https.request`, looked up at each call, so that instrumentations installed later work. */
  request(options: RequestOptions): ClientRequest
  /** Closes connections that are idle, where the transport made the agent. */
  closeIdle(): void
}

type OnConnect = (error: Error | null, socket?: Socket) => void
/** A method that Node's agents have in every version, and that its types leave out or describe otherwise. */
type Connecting = { createConnection(options: AgentOptions, done: OnConnect): Socket | undefined }

// Looked up when the module loads, so that timers that a test fakes later do not hold up `close`.
const { setImmediate: nextTurn } = globalThis

/** The same as of Node's fetch. Milliseconds. */
const CONNECT_TIMEOUT_MS = 10_000
/**
 * What is sent while the other side closes an idle connection is lost, and may have been charged. Some servers and load balancers close it after
 * 2 seconds without saying so, and HAProxy forwards the longer time that the service states.
 */
const IDLE_MS = 1_000

/** How long a connection may be idle after a response with this `Keep-Alive` header. 0: it is closed. */
export function idleTimeoutMs(keepAlive: string | null): number {
  return /timeout=[0-2]\b/.test(keepAlive ?? '') ? 0 : IDLE_MS
}

export class AgentPool {
  readonly #given: { http?: HttpAgent | undefined; https?: HttpAgent | undefined }
  readonly #sockets = new Set<Socket>()
  readonly #requests = new Set<ClientRequest>()
  /** By whether it is that of `https:`. */
  readonly #agents = new Map<boolean, ProtocolAgent>()

  constructor(given: { http?: HttpAgent | undefined; https?: HttpAgent | undefined }) {
    this.#given = given
  }

  /** The agent for a protocol; it is made when it is first needed, because loading Node's code takes milliseconds. */
  agentFor(secure: boolean): ProtocolAgent {
    const made = this.#agents.get(secure) ?? this.#create(secure)
    this.#agents.set(secure, made)
    return made
  }

  /** Ends all requests and closes the connections of the pool's own agents; resolves when that is done. It destroys no other agent. */
  async close(): Promise<void> {
    const open = [...this.#sockets, ...this.#requests]
    for (const { agent, isOwn } of this.#agents.values()) if (isOwn) agent.destroy()
    for (const one of open) one.destroy()
    // Without listeners: msw 2 and nock 14 remove those of a connection that they let through.
    while (open.some((one) => one.closed === false)) await new Promise<void>((resolve) => nextTurn(() => resolve()))
  }

  #create(secure: boolean): ProtocolAgent {
    const module = () => process.getBuiltinModule(secure ? 'node:https' : 'node:http')
    const given = secure ? this.#given.https : this.#given.http
    if (given === undefined) {
      const agent = trackConnections(new (module().Agent)({ keepAlive: true }), this.#sockets, secure)
      const closeIdle = () => {
        for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy()
      }
      return { agent, isOwn: true, request: (options) => module().request(options), closeIdle }
    }
    const request = (options: RequestOptions) => {
      const made = module().request(options)
      this.#requests.add(made)
      return made.once('close', () => this.#requests.delete(made))
    }
    return { agent: given as Agent, isOwn: false, request, closeIdle() {} }
  }
}

/** Keeps a set of an agent's connections, and limits the time in which one is made and the time for which it is idle. */
function trackConnections(agent: Agent, sockets: Set<Socket>, secure: boolean): Agent {
  const connect = (agent as unknown as Connecting).createConnection
  return Object.assign(agent, {
    createConnection(options: AgentOptions, done: OnConnect): Socket | undefined {
      const socket = connect.call(agent, options, done) as Socket
      const timer = setTimeout(() => socket.destroy(connectTimeout()), CONNECT_TIMEOUT_MS)
      sockets.add(socket)
      // For a connection that is idle before it was ever used, because the request that it was made for was aborted.
      socket.setTimeout(IDLE_MS)
      socket.once('close', () => {
        clearTimeout(timer)
        sockets.delete(socket)
      })
      socket.once(secure ? 'secureConnect' : 'connect', () => clearTimeout(timer))
      return socket
    },
    /** Idle sockets do not keep the process alive. `sendHttpRequest` sets their timeout. */
    keepSocketAlive(socket: Socket) {
      socket.unref()
      return socket.timeout !== 0
    },
  })
}

const connectTimeout = () => errorWithCode(`No connection within ${CONNECT_TIMEOUT_MS} ms`, 'UND_ERR_CONNECT_TIMEOUT')

/** An error in the shape of those of Node's fetch: the code is in the cause. */
export function fetchError(message: 'fetch failed' | 'terminated', cause: unknown): TypeError {
  return new TypeError(message, { cause })
}

/** The cause of a {@link fetchError}. */
export function errorWithCode(message: string, code: string): Error {
  return Object.assign(new Error(message), { code })
}
