import { spawnSync } from 'node:child_process'

export const CLIENT_CORE = '0'
export const SERVER_CORE = '1'

/** Whether client and server each keep to a core of their own, so that neither takes the other's time. */
export const pinned = [CLIENT_CORE, SERVER_CORE].every(
  (core) => spawnSync('taskset', ['-c', core, 'true']).status === 0,
)

/** The program and arguments that run Node with `args` on one core. */
export function startedOn(core: string, args: readonly string[]): [string, string[]] {
  return pinned ? ['taskset', ['-c', core, process.execPath, ...args]] : [process.execPath, [...args]]
}
