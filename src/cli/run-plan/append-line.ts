import { appendFileSync } from 'node:fs'
import { reasonOf } from '../files.ts'
import type { PlanLine } from '../plan-line.ts'
import { nameOf, type RunParts } from './run-parts.ts'

/** Appends what a line has bought to its file, if it has one. What the file does not take is in an event, and the run goes on. */
export function appendLine(line: PlanLine, { file, emit }: Pick<RunParts, 'file' | 'emit'>, value: object): void {
  if (line.file === undefined) return
  const { name, path } = file(line.file)
  const text = JSON.stringify(value)
  try {
    appendFileSync(path, `${text}\n`)
  } catch (error) {
    const message = `${name}: ${reasonOf(error)}. It was to take: ${text}`
    emit({ event: 'failed', ...nameOf(line), code: 'not_written', message, credits: 0 })
  }
}
