import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Programs that run after the sections and print their own figures. */
const PROGRAMS = { economics: 'economics/run.ts', proxy: 'proxy/run.ts', suite: 'suite/run.ts' }

export async function runPrograms(isWanted: (name: string) => boolean): Promise<void> {
  for (const [name, path] of Object.entries(PROGRAMS)) {
    if (!isWanted(name)) continue
    const [code] = await once(fork(fileURLToPath(new URL(path, import.meta.url))), 'exit')
    if (code !== 0) process.exitCode = 1
    console.log()
  }
}
