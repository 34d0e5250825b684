import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { exec, execOrThrow, tail } from '../support/exec.ts'
import { MODULES } from '../support/project.ts'
import { NotInstalledError } from '../support/result.ts'
import { bundleScenario } from './bundle.ts'
import type { Runtime } from './types.ts'

/** A process that exits later still has an open timer, socket or listener. */
const MAX_EXIT_MS = 2_000

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
      if (!existsSync(command)) throw new NotInstalledError(`${name} is not installed: npm ci --prefix test/matrix`)
      return /\d+\.\d+\.\d+/.exec(await execOrThrow(command, ['--version']))?.[0] ?? 'unknown'
    },
    async run(project, baseUrl) {
      const path = await bundleScenario(project, entry, file)
      const { code, stdout, stderr, exitMs } = await exec(command, [...flags, path, baseUrl], {
        cwd: project.folder,
        limitMs: 60_000,
      })
      if (code !== 0) throw new Error(`exited with ${code}: ${tail(stdout + stderr)}`)
      if (stderr !== '') throw new Error(`wrote to stderr: ${tail(stderr)}`)
      if (exitMs > MAX_EXIT_MS) throw new Error(`exited ${exitMs} ms after its report`)
      return { report: JSON.parse(stdout), exitMs }
    },
  }
}

const nodes = [20, 22, 24, 26].flatMap((major) => {
  const bin = `node${major}/bin/node`
  return [
    inProcess(`Node ${major}, import`, bin, 'scenario.mjs', []),
    inProcess(`Node ${major}, require`, bin, 'scenario.cjs', []),
    inProcess(`Node ${major}, require without require(esm)`, bin, 'scenario.cjs', [NO_REQUIRE_ESM]),
    inProcess(`Node ${major}, etn-market/node`, bin, 'scenario-node.mjs', [], 'process-node'),
  ]
})

const DENO_FLAGS = ['run', '--allow-net=127.0.0.1', '--allow-read', '--node-modules-dir=manual', '--cached-only']

export const processes: readonly Runtime[] = [
  ...nodes,
  inProcess('Bun', 'bun/bin/bun.exe', 'scenario.mjs', ['run']),
  inProcess('Deno', '@deno/linux-x64-glibc/deno', 'scenario.mjs', [...DENO_FLAGS, '--no-prompt']),
]
