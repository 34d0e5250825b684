import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { check } from '../scenario/check.ts'
import { exec, execOrThrow, tail } from '../support/exec.ts'
import { MODULES } from '../support/project.ts'
import { NotInstalledError } from '../support/result.ts'
import { bundleScenario, type Runtime } from './runtime.ts'

/** A process that exits later still has an open timer, socket or listener. */
const MAX_EXIT_MS = 2_000

const NO_REQUIRE_ESM = '--no-experimental-require-module'

/** The version of a runtime in `node_modules`. @throws NotInstalledError */
export async function versionOfProgram(bin: string): Promise<string> {
  const command = join(MODULES, bin)
  if (!existsSync(command)) throw new NotInstalledError(`${bin} is not installed: npm ci --prefix test/matrix`)
  return /\d+\.\d+\.\d+/.exec(await execOrThrow(command, ['--version']))?.[0] ?? 'unknown'
}

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
    version: () => versionOfProgram(bin),
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

export const DENO = '@deno/linux-x64-glibc/deno'
export const BUN = 'bun/bin/bun.exe'
export const DENO_FLAGS = [
  'run',
  '--allow-net=127.0.0.1',
  '--allow-read',
  '--node-modules-dir=manual',
  '--cached-only',
  '--no-prompt',
]

/** Both ends of the ranges in `package.json`, on the oldest Node that is promised: ky 2 and p-retry 8 need a newer one. */
const DEPENDENCIES = [
  { end: 'oldest', versions: { ky: '1.14.3', 'p-retry': '7.1.1', zod: '4.0.0' } },
  { end: 'newest', versions: { ky: '1.14.3', 'p-retry': '7.1.1', zod: '4.6.7' } },
]
/** zod is in an entry of its own, too, for applications. */
const USE_SCHEMAS = `import { tokenPrice } from 'etn-market/schemas'
const results = [{ usd: 5 }, { address: '0x', usd: '5', etn: null }].map((data) => tokenPrice.data.safeParse(data).success)
process.stdout.write(JSON.stringify(results))`

const withDependencies = DEPENDENCIES.map(({ end, versions }): Runtime => {
  const node = inProcess(`Node 20, ${end} dependencies`, 'node20/bin/node', 'scenario.mjs', [])
  return {
    ...node,
    async run(project, baseUrl) {
      for (const [name, version] of Object.entries(versions)) {
        project.link(name, `${name}-${version}`)
        check(name, JSON.parse(project.read(`node_modules/${name}/package.json`)).version, version)
      }
      const path = project.write('schemas.mjs', USE_SCHEMAS)
      const parsed = await execOrThrow(join(MODULES, 'node20/bin/node'), [path], { cwd: project.folder })
      check('schemas', JSON.parse(parsed), [false, true])
      return node.run(project, baseUrl)
    },
  }
})

export const processes: readonly Runtime[] = [
  ...nodes,
  ...withDependencies,
  inProcess('Bun', BUN, 'scenario.mjs', ['run']),
  inProcess('Deno', DENO, 'scenario.mjs', DENO_FLAGS),
]
