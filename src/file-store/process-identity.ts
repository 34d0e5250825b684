import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

/** Identifies a process. A later process with the same number has another identity. */
export interface ProcessIdentity {
  readonly pid: number
  readonly host: string
  /** When it was started, as the system counts; empty where that cannot be read. */
  readonly started: string
}

export function identifyProcess(pid: number = process.pid): ProcessIdentity {
  return { pid, host: hostname(), started: startOf(pid) }
}

/** Whether the process may still run. One of another machine may: only its own system knows. */
export function mayRun({ pid, host, started }: ProcessIdentity): boolean {
  if (host !== hostname()) return true
  // A container that is started again gives the same numbers to new processes.
  if (started !== '' && startOf(pid) !== started) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // A process of another user runs, too.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The boot of the system, and the moment since then at which the process began. Linux alone has both in files. */
function startOf(pid: number): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the program, in brackets, may have spaces. The moment is the 20th field after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return `${boot} ${fields[19]}`
  } catch {
    return ''
  }
}
