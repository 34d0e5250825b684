import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  exports: Record<string, unknown>
  dependencies?: object
  peerDependencies?: object
}

/** What users import, for example `etn-market/feed`. */
export const SUBPATHS = Object.keys(manifest.exports)
  .filter((subpath) => subpath !== './package.json')
  .map((subpath) => `etn-market${subpath.slice(1)}`)

/** The name of a subpath's files in dist. */
export const fileNameOf = (subpath: string) =>
  subpath === 'etn-market' ? 'index' : subpath.slice('etn-market/'.length)

interface PackResult {
  filename: string
  files: { path: string }[]
  unpackedSize: number
}

export interface Packed {
  readonly tarball: string
  /** Paths inside the tarball. */
  readonly files: readonly string[]
  /** Bytes of all files. */
  readonly unpackedSize: number
  /** A project with the package installed from the tarball, in which the scripts run. */
  readonly project: string
  /** Runs a script of that project and returns what it prints. */
  run(name: string, script: string, flags?: readonly string[]): string
  remove(): void
}

/** Packs the built files as for publishing, and installs them in another folder. */
export function packPackage(): Packed {
  for (const file of SUBPATHS.map(fileNameOf).flatMap((name) => [`${name}.js`, `${name}.cjs`, `${name}.d.ts`])) {
    if (!existsSync(join(ROOT, 'dist', file))) throw new Error(`dist/${file} is missing: run \`npm run build\` first.`)
  }
  const folder = mkdtempSync(join(tmpdir(), 'etn-market-'))
  const packed = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [{ filename, files, unpackedSize }] = JSON.parse(packed) as [PackResult]
  const tarball = join(folder, filename)
  const project = join(folder, 'project')
  const installed = join(project, 'node_modules', 'etn-market')
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components', '1'])
  const { dependencies = {}, peerDependencies = {} } = manifest
  for (const name of Object.keys({ ...dependencies, ...peerDependencies })) {
    mkdirSync(dirname(join(project, 'node_modules', name)), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', name), join(project, 'node_modules', name))
  }
  return {
    tarball,
    files: files.map(({ path }) => path),
    unpackedSize,
    project,
    run(name, script, flags = []) {
      const path = join(project, name)
      writeFileSync(path, script)
      const env = { ...process.env, ETN_MARKET_API_KEY: '', ETN_MARKET_BASE_URL: '', NODE_OPTIONS: '' }
      return execFileSync(process.execPath, [...flags, path], { cwd: project, env, encoding: 'utf8', stdio: 'pipe' })
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
