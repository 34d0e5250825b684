import { spawnSync } from 'node:child_process'

export const CLIENT_CORE = '0'
export const SERVER_CORE = '1'

/** Whether client and server run on separate cores, so that neither takes CPU time from the other. */
export const isPinned = [CLIENT_CORE, SERVER_CORE].every(
  (core) => spawnSync('taskset', ['-c', core, 'true']).status === 0,
)

/** The program and arguments that run Node with `args` on one core. */
export function nodeOnCore(core: string, args: readonly string[]): [string, string[]] {
  return isPinned ? ['taskset', ['-c', core, process.execPath, ...args]] : [process.execPath, [...args]]
}
