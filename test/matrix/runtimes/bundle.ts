import { join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { MATRIX, type Project } from '../support/project.ts'

/** Bundles the scenario into one file of a project. The package stays external, as it was installed. */
export async function bundleScenario(
  project: Project,
  entry: 'process' | 'process-node' | 'worker' | 'page',
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
