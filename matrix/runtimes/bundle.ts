import { join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { MATRIX, type Project } from '../support/project.ts'

/** Writes a file of the journey into a project; the package itself stays outside of it, as it was installed. */
export async function bundleJourney(
  project: Project,
  entry: 'process' | 'process-node' | 'worker' | 'page',
  file: string,
  options: BuildOptions = {},
): Promise<string> {
  const outfile = join(project.folder, file)
  await build({
    entryPoints: [join(MATRIX, 'journey', `${entry}.ts`)],
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
