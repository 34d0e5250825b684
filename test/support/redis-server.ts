import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from './wait.ts'

/** Whether tests that need a server can run here. */
export const hasRedisServer = spawnSync('redis-server', ['--version']).status === 0

/** A redis-server of its own, on a free port of 127.0.0.1, without persistence. */
export interface RedisServer {
  readonly port: number
  readonly process: ChildProcess
  /** Answers one command, as text. */
  command(...parts: string[]): Promise<string>
  /** Stops the process as it is, so that it answers nothing; `resume` lets it go on. */
  pause(): void
  resume(): void
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
  const child = spawn('redis-server', [...fixed, ...options], { stdio: 'ignore' })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  return {
    port,
    process: child,
    command: (...parts) => sendCommand(port, parts),
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async close() {
      process.off('exit', kill)
      if (child.exitCode === null && child.signalCode === null) {
        const exit = once(child, 'exit')
        child.kill('SIGKILL')
        await exit
      }
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Waits until this server answers, and not one that was started elsewhere on the same port. */
async function waitUntilReady({ process, command }: RedisServer): Promise<void> {
  const ended = once(process, 'exit').then(([code]) => {
    throw new Error(`redis-server has ended with ${code}.`)
  })
  const own = new RegExp(`^process_id:${process.pid}\\r$`, 'm')
  const isReady = until(
    'an answer of redis-server',
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
