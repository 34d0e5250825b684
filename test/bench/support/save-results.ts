import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Contender } from '../contenders/index.ts'
import type { SectionResult } from '../section.ts'
import { type Machine, versionOf } from './machine.ts'
import { BENCH } from './paths.ts'

const FOLDER = join(BENCH, 'results')

/** Writes all measurements of a run into a file and returns its path. */
export function saveResults(
  results: ReadonlyMap<string, SectionResult>,
  contenders: readonly Contender[],
  rounds: number,
  machine: Machine,
): string {
  const packages = contenders.flatMap(({ packages = [] }) => packages.map((name) => [name, versionOf(name)]))
  const sections = [...results].map(([name, { raw }]) => [name, raw])
  const content = {
    ...machine,
    rounds,
    packages: Object.fromEntries(packages),
    sections: Object.fromEntries(sections),
  }
  const file = join(FOLDER, `${machine.date.replaceAll(':', '-')}.json`)
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(file, `${JSON.stringify(content, null, 1)}\n`)
  return file
}
