import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

interface PackResult {
  filename: string
  files: { path: string }[]
}

/** Packs the built files as for publishing, and installs them in another folder, once for all test files. */
export function setup({ provide }: TestProject): () => void {
  if (!existsSync(join(ROOT, 'dist/index.d.ts'))) throw new Error('dist is missing: run `npm run build` first.')
  const folder = mkdtempSync(join(tmpdir(), 'etn-market-'))
  const output = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [{ filename, files }] = JSON.parse(output) as [PackResult]
  const tarball = join(folder, filename)
  const project = join(folder, 'project')
  install(tarball, project)
  provide('packed', { tarball, files: files.map(({ path }) => path), project })
  return () => rmSync(folder, { recursive: true, force: true })
}

/** Unpacks the tarball, beside links to the packages that it needs. */
function install(tarball: string, project: string): void {
  const modules = join(project, 'node_modules')
  const installed = join(modules, 'etn-market')
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components', '1'])
  const { dependencies = {}, peerDependenciesMeta = {} } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  for (const name of Object.keys({ ...dependencies, ...peerDependenciesMeta })) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
  }
}
