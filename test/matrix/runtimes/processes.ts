import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { check } from '../scenario/check.ts'
import { exec, execOrThrow, tail } from '../support/exec.ts'
import { MODULES } from '../support/project.ts'
import { NotInstalledError } from '../support/result.ts'
import { bundleScenario, type Runtime } from './runtime.ts'

/** A process that exits later still has an open timer, socket or listener. */
export const MAX_EXIT_MS = 2_000

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

const node = (major: number) => `node${major}/bin/node`

/** ES modules on every version; on the oldest and the newest CommonJS, first without help of the newer loader, and the transport of Node. */
const nodes = [
  ...[20, 22, 24, 26].map((major) => inProcess(`Node ${major}, import`, node(major), 'scenario.mjs', [])),
  inProcess('Node 20, require without require(esm)', node(20), 'scenario.cjs', [NO_REQUIRE_ESM]),
  inProcess('Node 26, require', node(26), 'scenario.cjs', []),
  ...[20, 26].map((major) =>
    inProcess(`Node ${major}, etn-market/node`, node(major), 'scenario-node.mjs', [], 'process-node'),
  ),
]

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

/** The oldest that `package.json` allows. Everything else runs with the newest, which npm installs. */
const OLDEST_DEPENDENCIES = { ky: '1.14.3', 'p-retry': '7.1.1', zod: '4.0.0' }
/** zod is in an entry of its own, too, for applications. */
const USE_SCHEMAS = `import { tokenPrice } from 'etn-market/schemas'
const results = [{ usd: 5 }, { address: '0x', usd: '5', etn: null }].map((data) => tokenPrice.data.safeParse(data).success)
process.stdout.write(JSON.stringify(results))`

const withOldest = inProcess('Node 20, oldest dependencies', node(20), 'scenario.mjs', [])
const withOldestDependencies: Runtime = {
  ...withOldest,
  async run(project, baseUrl) {
    for (const [name, version] of Object.entries(OLDEST_DEPENDENCIES)) {
      project.link(name, `${name}-${version}`)
      check(name, JSON.parse(project.read(`node_modules/${name}/package.json`)).version, version)
    }
    const path = project.write('schemas.mjs', USE_SCHEMAS)
    const parsed = await execOrThrow(join(MODULES, node(20)), [path], { cwd: project.folder })
    check('schemas', JSON.parse(parsed), [false, true])
    return withOldest.run(project, baseUrl)
  },
}

export const processes: readonly Runtime[] = [
  ...nodes,
  withOldestDependencies,
  inProcess('Bun', BUN, 'scenario.mjs', ['run']),
  inProcess('Deno', DENO, 'scenario.mjs', DENO_FLAGS),
]
