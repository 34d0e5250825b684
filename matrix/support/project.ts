import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { must } from './exec.ts'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))
export const MATRIX = join(ROOT, 'matrix')
/** What npm installed for the matrix alone. */
export const MODULES = join(MATRIX, 'node_modules')

export interface Project {
  readonly folder: string
  write(path: string, text: string): string
  read(path: string): string
  /** Makes a package of the matrix known here, under a name of its own where it was installed under another. */
  link(name: string, installed?: string): void
  remove(): void
}

/** The package, installed by npm from its tarball as a user installs it. */
export interface Published {
  readonly tarball: string
  /** Another project that has it installed. */
  project(name: string): Project
  remove(): void
}

/** Builds and packs the package and installs the tarball somewhere else. */
export async function publish(): Promise<Published> {
  await must('npm', ['run', 'build'], { cwd: ROOT })
  const home = mkdtempSync(join(tmpdir(), 'etn-market-matrix-'))
  const packed = await must('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', home], { cwd: ROOT })
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }]
  const tarball = join(home, filename)
  const installed = join(home, 'installed')
  mkdirSync(installed)
  writeFileSync(join(installed, 'package.json'), '{ "private": true, "type": "module" }\n')
  await must('npm', ['install', '--no-audit', '--no-fund', '--omit=peer', tarball], { cwd: installed })
  return {
    tarball,
    project(name) {
      const folder = join(home, name)
      cpSync(installed, folder, { recursive: true })
      return open(folder)
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  }
}

function open(folder: string): Project {
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
      symlinkSync(join(MODULES, installed), link)
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
