import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Redis } from 'ioredis'

const NOT_FOUND = `No Redis was found. Do one of these:
- Set REDIS_URL to a Redis 7.0 or newer, such as redis://127.0.0.1:6379.
- Install redis-server 7.0 or newer: "apt-get install redis-server" on Debian and Ubuntu, "brew install redis" on macOS.`

/** The address of a Redis. */
export interface RedisAddress {
  readonly url: string
  /** For people. It has no password. */
  readonly description: string
  close(): Promise<void>
}

/** The Redis of REDIS_URL, or a `redis-server` of its own that ends with this process. */
export async function openRedis(): Promise<RedisAddress> {
  const { REDIS_URL } = process.env
  if (REDIS_URL) return { url: REDIS_URL, description: `Redis at ${new URL(REDIS_URL).host}`, close: async () => {} }
  return startServer()
}

/** Ends the server and removes its folder when the pipe to this process closes, however this process ends. */
const SCRIPT =
  'folder=$1; shift; redis-server "$@" >/dev/null 2>&1 & echo $!; cat >/dev/null; kill -9 $!; wait; rm -rf "$folder"'

async function startServer(): Promise<RedisAddress> {
  if (spawnSync('redis-server', ['--version']).status !== 0) throw new Error(NOT_FOUND)
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'etn-market-fleet-'))
  const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder]
  // Detached: Ctrl-C in the terminal must not end it before the processes that use it.
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'sh', folder, ...args], {
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  })
  const ended = once(shell, 'exit')
  const close = async () => {
    shell.stdin.end()
    await ended
  }
  const url = `redis://127.0.0.1:${port}`
  try {
    const [pid] = await once(shell.stdout, 'data')
    await waitUntilReady(url)
    return { url, description: `redis-server (pid ${String(pid).trim()}) on port ${port}`, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function waitUntilReady(url: string): Promise<void> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null })
  redis.on('error', () => {})
  const isReady = () =>
    redis.connect().then(
      () => true,
      () => false,
    )
  try {
    for (let left = 200; !(await isReady()); left--) {
      if (left === 0) throw new Error('redis-server does not answer.')
      await wait(25)
    }
  } finally {
    redis.disconnect()
  }
}
