import { join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import type { ScenarioReport } from '../scenario/scenario.ts'
import { MATRIX, type Project } from '../support/project.ts'

/** A runtime that the package supports. */
export interface Runtime {
  readonly name: string
  /** The installed version, for example `22.23.3`. @throws NotInstalledError if there is none. */
  version(): Promise<string>
  /**
   * How often the runtime's own `fetch` may send a lost request again. No client can prevent that in a page.
   * @default 0
   */
  readonly maxResends?: number
  run(project: Project, baseUrl: string): Promise<RuntimeRun>
}

export interface RuntimeRun {
  report: ScenarioReport
  /** How long the process lived after its report, if the runtime is a process that must exit. */
  exitMs?: number
}

/** Bundles the scenario into one file of a project. The package stays external, as it was installed. */
export async function bundleScenario(
  project: Project,
  entry: 'native' | 'edge' | 'process' | 'process-node' | 'kept-connections' | 'forward-proxy' | 'worker' | 'page',
  file: string,
  options: BuildOptions = {},
): Promise<string> {
  const outfile = join(project.folder, file)
  await build({
    entryPoints: [join(MATRIX, 'scenario', `${entry}.ts`)],
    tsconfigRaw: {},
    bundle: true,
    external: ['etn-market'],
    format: file.endsWith('.cjs') ? 'cjs' : 'esm',
    platform: 'neutral',
    target: 'es2022',
    outfile,
    logLevel: 'silent',
    ...options,
  })
  return outfile
}
