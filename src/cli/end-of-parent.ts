import { statOpenFile } from './files.ts'

const CHECK_EVERY_MS = 200

/**
 * Calls back when the program that started this one is gone, or has closed the pipe to its standard input. `npx` ends at a signal without
 * passing it on, so that a server behind it would stay.
 */
export function onEndOfParent(callback: () => void): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent && isAlive(parent)) return
    clearInterval(timer)
    callback()
  }, CHECK_EVERY_MS)
  timer.unref()
  if (isPipe(process.stdin.fd)) process.stdin.once('end', callback).once('error', callback).resume()
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // A process of another user is alive, too.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** A terminal belongs to the user, and `/dev/null` is at its end from the start. */
function isPipe(fd: number): boolean {
  try {
    const input = statOpenFile(fd)
    return input.isFIFO() || input.isSocket()
  } catch {
    return false
  }
}
