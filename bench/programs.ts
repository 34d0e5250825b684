import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** What tells its own figures, at the end of a run. */
const PROGRAMS = { economics: 'economics.ts', suite: 'suite/run.ts' }

export async function runPrograms(wants: (name: string) => boolean): Promise<void> {
  for (const [name, path] of Object.entries(PROGRAMS)) {
    if (!wants(name)) continue
    const [code] = await once(fork(fileURLToPath(new URL(path, import.meta.url))), 'exit')
    if (code !== 0) process.exitCode = 1
    console.log()
  }
}
