import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from './wait.ts'

/** `ETN_MARKET_TEST_REDIS_SERVER` names another program that is a server of Redis, such as `valkey-server`. */
export const REDIS_PROGRAM = process.env.ETN_MARKET_TEST_REDIS_SERVER ?? 'redis-server'
/** Whether a server can be started here. */
export const hasRedisServer = spawnSync(REDIS_PROGRAM, ['--version']).status === 0

/** A redis-server of its own, on a free port of 127.0.0.1, which stores nothing by itself. */
export interface RedisServer {
  readonly port: number
  readonly process: ChildProcess
  /** Answers one command, as text. */
  command(...parts: string[]): Promise<string>
  /** Stops the process as it is, so that it answers nothing; `resume` lets it go on. */
  pause(): void
  resume(): void
  /** Kills the process and starts another one in its folder, which begins with what the first one has stored. */
  restart(): Promise<void>
  close(): Promise<void>
}

export async function startRedisServer(...options: string[]): Promise<RedisServer> {
  for (let left = 5; ; left--) {
    const server = launch(await freePort(), options)
    try {
      await waitUntilReady(server)
      return server
    } catch (error) {
      await server.close()
      // Another process may have taken the port meanwhile.
      if (left === 0) throw error
    }
  }
}

function launch(port: number, options: readonly string[]): RedisServer {
  const directory = mkdtempSync(join(tmpdir(), 'etn-market-redis-'))
  const fixed = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', directory]
  const start = () => spawn(REDIS_PROGRAM, [...fixed, ...options], { stdio: 'ignore' })
  let child = start()
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const end = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'exit')
    kill()
    await exit
  }
  const server: RedisServer = {
    port,
    get process() {
      return child
    },
    command: (...parts) => sendCommand(port, parts),
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async restart() {
      await end()
      child = start()
      await waitUntilReady(server)
    },
    async close() {
      process.off('exit', kill)
      await end()
      rmSync(directory, { recursive: true, force: true })
    },
  }
  return server
}

/** Waits until this server answers, and not one that was started elsewhere on the same port. */
async function waitUntilReady({ process, command }: RedisServer): Promise<void> {
  const ended = once(process, 'exit').then(([code]) => {
    throw new Error(`${REDIS_PROGRAM} has ended with ${code}.`)
  })
  const own = new RegExp(`^process_id:${process.pid}\\r$`, 'm')
  const isReady = until(
    `an answer of ${REDIS_PROGRAM}`,
    () => command('INFO', 'server'),
    (answer) => own.test(answer),
  )
  await Promise.race([isReady, ended])
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** A connection for one command, so that no client library is involved. */
function sendCommand(port: number, parts: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ port, host: '127.0.0.1' })
    let text = ''
    socket.setTimeout(5_000, () => socket.destroy(new Error('No answer')))
    socket.once('error', reject)
    socket.once('connect', () => {
      const frames = [...parts, ''].slice(0, -1).map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`)
      socket.write(`*${parts.length}\r\n${frames.join('')}*1\r\n$4\r\nQUIT\r\n`)
    })
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.once('close', () => resolve(text.replace(/\+OK\r\n$/, '')))
  })
}
