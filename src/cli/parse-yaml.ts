import { LineCounter, parseDocument } from 'yaml'
import { usageError } from './failure.ts'

/** What a plan file holds. */
export interface ParsedPlan {
  readonly value: unknown
  /** The line of a value, from 1, where the format states it; of what contains it, if the value is missing. */
  lineOf(path: readonly (string | number)[]): number | undefined
}

/** Parses a plan in YAML. @throws CommandError naming the line */
export function parseYaml(path: string, text: string): ParsedPlan {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, {
    lineCounter,
    // An address without quotes stays a text: as a number it would lose its digits.
    customTags: (tags) => tags.filter((tag) => typeof tag === 'string' || tag.format !== 'HEX'),
  })
  const [problem] = document.errors
  if (problem !== undefined) {
    const [place] = problem.linePos ?? []
    const [reason] = problem.message.split(/\n| at line/)
    throw usageError(`${path}:${place?.line ?? 1}: it is no valid YAML: ${reason}.`)
  }
  try {
    return { value: document.toJS() as unknown, lineOf }
  } catch (error) {
    throw usageError(`${path}: it is no valid YAML: ${(error as Error).message}.`, error)
  }

  function lineOf(path: readonly (string | number)[]): number | undefined {
    if (path.length > 0 && !document.hasIn(path)) return lineOf(path.slice(0, -1))
    const node = path.length === 0 ? document.contents : document.getIn(path, true)
    const [start] = (node as { range?: [number, number, number] } | null | undefined)?.range ?? []
    return start === undefined ? undefined : lineCounter.linePos(start).line
  }
}
