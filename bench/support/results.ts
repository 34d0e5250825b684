import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Contender } from '../contenders/index.ts'
import type { Outcome } from '../section.ts'
import { type Machine, versionOf } from './machine.ts'
import { BENCH } from './paths.ts'

const FOLDER = join(BENCH, 'results')

/** Writes everything that was measured into a file of its own, and returns its name. */
export function keepResults(
  outcomes: ReadonlyMap<string, Outcome>,
  contenders: readonly Contender[],
  rounds: number,
  machine: Machine,
): string {
  const peers = contenders.flatMap(({ peer }) => (peer === undefined ? [] : [[peer, versionOf(peer)]]))
  const sections = [...outcomes].map(([name, { raw }]) => [name, raw])
  const results = { ...machine, rounds, peers: Object.fromEntries(peers), sections: Object.fromEntries(sections) }
  const file = join(FOLDER, `${machine.date.replaceAll(':', '-')}.json`)
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(file, `${JSON.stringify(results, null, 1)}\n`)
  return file
}
