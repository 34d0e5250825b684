import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execOrThrow } from './exec.ts'

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
export const MATRIX = join(ROOT, 'test/matrix')
/** The packages of the matrix itself. */
export const MODULES = join(MATRIX, 'node_modules')

export interface Project {
  readonly folder: string
  write(path: string, text: string): string
  read(path: string): string
  /** Links a package of the matrix into this project, in place of what npm has installed. `installed` is its folder, if that differs from `name`. */
  link(name: string, installed?: string): void
}

/** The package, installed from its tarball by npm. */
export interface InstalledPackage {
  readonly tarball: string
  /** A project of this name with the package installed. It is made when it is asked for the first time. */
  project(name: string): Project
  remove(): void
}

/** For programs on the oldest Node that the package promises, and for what they start. */
export const onOldestNode = { PATH: `${join(MODULES, 'node20/bin')}${delimiter}${process.env.PATH}` }

/** Packs the built package, and installs the tarball in a temporary folder, by npm with strict engines on the oldest Node. */
export async function packAndInstall(): Promise<InstalledPackage> {
  if (!existsSync(join(ROOT, 'dist/index.d.ts'))) throw new Error('dist is missing: run `npm run build` first.')
  const home = mkdtempSync(join(tmpdir(), 'etn-market-matrix-'))
  const packed = await execOrThrow('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', home], {
    cwd: ROOT,
  })
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }]
  const tarball = join(home, filename)
  const installed = join(home, 'installed')
  mkdirSync(installed)
  writeFileSync(join(installed, 'package.json'), '{ "private": true, "type": "module" }\n')
  const args = ['install', '--engine-strict', '--no-audit', '--no-fund', '--omit=peer', tarball]
  await execOrThrow('npm', args, { cwd: installed, env: onOldestNode })
  return {
    tarball,
    project(name) {
      const folder = join(home, name.replaceAll(/\W+/g, '-'))
      if (!existsSync(folder)) cpSync(installed, folder, { recursive: true })
      return openProject(folder)
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  }
}

function openProject(folder: string): Project {
  return {
    folder,
    write(path, text) {
      const file = join(folder, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
      return file
    },
    read: (path) => readFileSync(join(folder, path), 'utf8'),
    link(name, installed = name) {
      const link = join(folder, 'node_modules', name)
      mkdirSync(dirname(link), { recursive: true })
      rmSync(link, { recursive: true, force: true })
      symlinkSync(join(MODULES, installed), link)
    },
  }
}
