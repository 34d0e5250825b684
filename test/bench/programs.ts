import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Programs that run after the sections and print their own figures. They get `args` too: with `--write` they put tables into the README. */
const PROGRAMS = { economics: 'economics/run.ts', fleet: 'fleet/run.ts', proxy: 'proxy/run.ts', suite: 'suite/run.ts' }

export async function runPrograms(isWanted: (name: string) => boolean, args: readonly string[]): Promise<void> {
  for (const [name, path] of Object.entries(PROGRAMS)) {
    if (!isWanted(name)) continue
    const program = fork(fileURLToPath(new URL(path, import.meta.url)), args)
    const [code] = await once(program, 'exit')
    if (code !== 0) process.exitCode = 1
    console.log()
  }
}
