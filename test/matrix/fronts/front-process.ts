import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { wait } from '../scenario/check.ts'
import { cleanEnv, exec, tail } from '../support/exec.ts'
import { NotInstalledError } from '../support/result.ts'
import type { Front, Place } from './fronts.ts'

const MAX_START_MS = 20_000
/** Varnish stops its worker and Squid its helpers when they are asked to; a killed one may leave them. */
const MAX_EXIT_MS = 3_000

/** Debian has servers in folders that are not on the path of every user. */
const env = { ...cleanEnv(), PATH: `${process.env.PATH}:/usr/sbin:/sbin` }

/** @throws NotInstalledError */
export async function versionOfFront({ program, version }: Front): Promise<string> {
  const { stdout, stderr } = await exec(program, version, { env }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new NotInstalledError(`${program} is not installed: see test/matrix/README.md`)
    throw error
  })
  return /\d+\.\d+(\.\d+)?/.exec(stdout + stderr)?.[0] ?? 'unknown'
}

/** Runs a front in the foreground, on ports of its own, while `use` is running. Nothing of it is left afterwards. */
export async function withFront<T>(front: Front, use: (place: Place) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'front-'))
  // Some give up root before they read their files.
  chmodSync(folder, 0o777)
  // The service's port is taken until the front has started: Squid looks whether anything listens there.
  const [own, service] = [await listenAnywhere(), await listenAnywhere()]
  const place = { port: own.port, upstream: service.port, folder }
  own.server.close()
  for (const [name, text] of Object.entries(front.files(place))) writeFileSync(join(folder, name), text)
  const child = spawn(front.program, front.args(place), {
    cwd: folder,
    env: { ...env, ...front.env?.(place) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  try {
    await listening(child, place.port)
    service.server.close()
    return await use(place)
  } finally {
    service.server.close()
    await stop(child)
    process.off('exit', kill)
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** A server that closes every connection, on a free port. */
export async function listenAnywhere() {
  const server = createServer((socket) => socket.destroy())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { server, port: (server.address() as { port: number }).port }
}

/** Waits until the front accepts connections. @throws with its output if it ends before */
async function listening(child: ChildProcess, port: number): Promise<void> {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (part) => {
      output += part
    })
  }
  const startedAt = Date.now()
  while (!(await accepts(port))) {
    if (hasEnded(child) || Date.now() - startedAt > MAX_START_MS) throw new Error(`did not start: ${tail(output)}`)
    await wait(20)
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

async function stop(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), MAX_EXIT_MS)
  await exited
  clearTimeout(timer)
}
