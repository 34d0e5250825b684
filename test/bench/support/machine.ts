import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { isPinned } from './cores.ts'
import { BENCH } from './paths.ts'

/** Date and machine of a run. */
export interface Machine {
  readonly date: string
  readonly cpu: string
  readonly node: string
  readonly isPinned: boolean
}

export function thisMachine(): Machine {
  const cores = cpus()
  const cpu = `${cores.length} cores of ${cores[0]?.model.trim() ?? 'an unknown processor'}`
  return { date: new Date().toISOString(), cpu, node: process.versions.node, isPinned }
}

/** The installed version of a package that the bench compares. */
export function versionOf(name: string): string {
  const manifest = readFileSync(join(BENCH, 'node_modules', name, 'package.json'), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}
