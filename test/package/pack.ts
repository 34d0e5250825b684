import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

export interface Packed {
  readonly tarball: string
  /** Paths inside the tarball. */
  readonly files: readonly string[]
  /** A project that has the package installed from the tarball; its scripts run here. */
  readonly project: string
  /** Runs a script of that project and returns what it prints. */
  run(name: string, script: string, flags?: readonly string[]): string
  remove(): void
}

/** What would be published, made from the built files and installed somewhere else. */
export function packPackage(): Packed {
  for (const file of ['index', 'fake', 'msw'].flatMap((name) => [`${name}.js`, `${name}.cjs`, `${name}.d.ts`])) {
    if (!existsSync(join(ROOT, 'dist', file))) throw new Error(`dist/${file} is missing: run \`npm run build\` first.`)
  }
  const folder = mkdtempSync(join(tmpdir(), 'etn-market-'))
  const packed = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [{ filename, files }] = JSON.parse(packed) as [{ filename: string; files: { path: string }[] }]
  const tarball = join(folder, filename)
  const project = join(folder, 'project')
  const installed = join(project, 'node_modules', 'etn-market')
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components', '1'])
  for (const name of ['srvx', 'msw']) symlinkSync(join(ROOT, 'node_modules', name), join(project, 'node_modules', name))
  return {
    tarball,
    files: files.map(({ path }) => path),
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
