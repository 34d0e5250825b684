import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { execute, must, tail } from '../support/exec.ts'
import { MODULES } from '../support/project.ts'
import { NotHere } from '../support/result.ts'
import { bundleJourney } from './bundle.ts'
import type { Runtime } from './types.ts'

/** What ends later than this was held up by something. */
const PROMPT_MS = 2_000

const NO_REQUIRE_ESM = '--no-experimental-require-module'

function inProcess(
  name: string,
  bin: string,
  file: string,
  flags: readonly string[],
  entry: 'process' | 'process-node' = 'process',
): Runtime {
  const command = join(MODULES, bin)
  return {
    name,
    async version() {
      if (!existsSync(command)) throw new NotHere(`${name} is not installed: npm ci --prefix matrix`)
      return /\d+\.\d+\.\d+/.exec(await must(command, ['--version']))?.[0] ?? 'unknown'
    },
    async run(project, baseUrl) {
      const path = await bundleJourney(project, entry, file)
      const { code, stdout, stderr, exitMs } = await execute(command, [...flags, path, baseUrl], {
        cwd: project.folder,
        limitMs: 60_000,
      })
      if (code !== 0) throw new Error(`ended with ${code}: ${tail(stdout + stderr)}`)
      if (stderr !== '') throw new Error(`wrote to stderr: ${tail(stderr)}`)
      if (exitMs > PROMPT_MS) throw new Error(`lived on for ${exitMs} ms after it was done`)
      return { report: JSON.parse(stdout), exitMs }
    },
  }
}

const nodes = [20, 22, 24, 26].flatMap((major) => {
  const bin = `node${major}/bin/node`
  return [
    inProcess(`Node ${major}, import`, bin, 'journey.mjs', []),
    inProcess(`Node ${major}, require`, bin, 'journey.cjs', []),
    inProcess(`Node ${major}, require without require(esm)`, bin, 'journey.cjs', [NO_REQUIRE_ESM]),
    inProcess(`Node ${major}, etn-market/node`, bin, 'journey-node.mjs', [], 'process-node'),
  ]
})

const DENO_FLAGS = ['run', '--allow-net=127.0.0.1', '--allow-read', '--node-modules-dir=manual', '--cached-only']

export const processes: readonly Runtime[] = [
  ...nodes,
  inProcess('Bun', 'bun/bin/bun.exe', 'journey.mjs', ['run']),
  inProcess('Deno', '@deno/linux-x64-glibc/deno', 'journey.mjs', [...DENO_FLAGS, '--no-prompt']),
]
