import type { Agent, AgentOptions, request } from 'node:http'
import type { Socket } from 'node:net'

/** What sends requests of one protocol. */
export interface Way {
  readonly agent: Agent
  readonly request: typeof request
}

export interface Ways {
  plain(): Way
  secure(): Way
  /** Ends every connection, and resolves when they are gone. */
  close(): Promise<void>
}

type Connected = (error: Error | null, socket?: Socket) => void
/** What Node's agents have in every version, and their types leave out or describe otherwise. */
type Connecting = { createConnection(options: AgentOptions, done: Connected): Socket | undefined }

/** As with Node's own fetch. Milliseconds. */
const CONNECT_MS = 10_000
const IDLE_MS = 4_000
const MOST_IDLE_MS = 600_000
/** A server counts from when it sent; so much earlier a connection is given up. */
const MARGIN_MS = 2_000

/** How long a connection may lie idle after an answer with this `Keep-Alive` header; 0: not at all. */
export function idleMs(keepAlive: string | null): number {
  const seconds = keepAlive === null ? undefined : /timeout=(\d+)/.exec(keepAlive)?.[1]
  return seconds === undefined ? IDLE_MS : Math.min(Math.max(Number(seconds) * 1_000 - MARGIN_MS, 0), MOST_IDLE_MS)
}

const OPTIONS: AgentOptions = { keepAlive: true }

/** An agent for each protocol, made when it is first needed, because Node's code for it takes milliseconds to load. */
export function createWays(): Ways {
  const sockets = new Set<Socket>()
  const agents: Agent[] = []
  const way = (agent: Agent, secure: boolean): Way => {
    agents.push(agent)
    return { agent: prepare(agent, sockets, secure), request: process.getBuiltinModule('node:http').request }
  }
  return {
    plain: () => way(new (process.getBuiltinModule('node:http').Agent)(OPTIONS), false),
    secure: () => way(new (process.getBuiltinModule('node:https').Agent)(OPTIONS), true),
    async close() {
      const gone = [...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve)))
      for (const agent of agents) agent.destroy()
      for (const socket of sockets) socket.destroy()
      await Promise.all(gone)
    },
  }
}

function prepare(agent: Agent, sockets: Set<Socket>, secure: boolean): Agent {
  const connect = (agent as unknown as Connecting).createConnection
  return Object.assign(agent, {
    getName: ({ host, port }: { host?: string; port?: number }) => `${host}:${port}`,
    createConnection(options: AgentOptions, done: Connected): Socket | undefined {
      const socket = connect.call(agent, options, done) as Socket
      const timer = setTimeout(() => socket.destroy(tooSlow()), CONNECT_MS)
      sockets.add(socket)
      // For one that lies idle before it was ever used, because whoever it was made for gave up.
      socket.setTimeout(IDLE_MS)
      socket.once('close', () => {
        clearTimeout(timer)
        sockets.delete(socket)
      })
      if (!secure) {
        socket.once('connect', () => clearTimeout(timer))
        return socket
      }
      // Nothing is written before the handshake is over: a failure of it keeps its own code, and nothing was sent.
      socket.on('error', done)
      socket.once('close', () => done(closed()))
      socket.once('secureConnect', () => {
        clearTimeout(timer)
        done(null, socket)
      })
      return undefined
    },
    /** Idle sockets do not keep the process alive; `exchange` has set how long they may lie. */
    keepSocketAlive(socket: Socket) {
      socket.unref()
      return socket.timeout !== 0
    },
  })
}

const tooSlow = () =>
  Object.assign(new Error(`No connection within ${CONNECT_MS} ms`), { code: 'UND_ERR_CONNECT_TIMEOUT' })
const closed = () => Object.assign(new Error('The connection was closed while it was made'), { code: 'ECONNRESET' })
