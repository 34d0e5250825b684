import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { pinned } from './cores.ts'
import { BENCH } from './paths.ts'

/** When and on what a run was made. */
export interface Machine {
  readonly date: string
  readonly cpu: string
  readonly node: string
  readonly pinned: boolean
}

export function thisMachine(): Machine {
  const cores = cpus()
  const cpu = `${cores.length} cores of ${cores[0]?.model.trim() ?? 'an unknown processor'}`
  return { date: new Date().toISOString(), cpu, node: process.versions.node, pinned }
}

export function versionOf(peer: string): string {
  const manifest = readFileSync(join(BENCH, 'node_modules', peer, 'package.json'), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}
