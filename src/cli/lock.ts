import { createHash } from 'node:crypto'
import { type BigIntStats, rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A lock that the system releases when the process ends, however it ends. */
export interface Lock {
  release(): void
}

/**
 * Locks a name on this machine. The lock is a local socket: only one process can listen on it, and none does after it was killed.
 * Resolves with undefined if another process has it.
 */
export async function acquireLock(name: string): Promise<Lock | undefined> {
  const path = socketPath(name)
  const server = createServer().unref()
  // Socket files outlive their process, unlike pipes of Windows and abstract sockets of Linux.
  const isFile = !/^[\0\\]/.test(path)
  if (!(await tryListen(server, path))) {
    if (!isFile || (await isAlive(path))) return undefined
    rmSync(path, { force: true })
    if (!(await tryListen(server, path))) return undefined
  }
  return { release: () => void server.close() }
}

/**
 * The name of a file that is only appended to: it is the same behind every symbolic and hard link. A file that is replaced gets another
 * one. Undefined on a file system that numbers no files.
 */
export function identityOf({ dev, ino }: BigIntStats): string | undefined {
  return ino === 0n ? undefined : `${dev}:${ino}`
}

function socketPath(name: string): string {
  const id = `etn-market-${createHash('sha256').update(name).digest('hex').slice(0, 24)}`
  switch (process.platform) {
    case 'linux':
      return `\0${id}`
    case 'win32':
      return `\\\\.\\pipe\\${id}`
    default:
      return join(tmpdir(), `${id}.sock`)
  }
}

function tryListen(server: Server, path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(false) : reject(error))
    server.once('error', onError).listen(path, () => {
      server.off('error', onError)
      resolve(true)
    })
  })
}

function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy()
      resolve(true)
    }).once('error', () => resolve(false))
  })
}
