import type { PlannedCall } from 'etn-market'
import { planCredits } from 'etn-market'
import { readOperation } from './call-params.ts'
import { unknownValue, usageError } from './failure.ts'
import { readTextFile } from './files.ts'
import type { NamedFile } from './host.ts'
import type { ParsedPlan } from './parse-yaml.ts'

/** A plan as its file states it: the calls, and what may be spent. */
export interface PlanFile {
  readonly calls: readonly PlannedCall[]
  /** Credits that may be spent a day. */
  readonly creditsPerDay?: number
  /** Credits on the key. */
  readonly balance?: number
}

const FIELDS = ['creditsPerDay', 'balance', 'calls']
const CALL_FIELDS = ['operation', 'params', 'every', 'everyMs', 'activeHours']

/**
 * Reads a plan from JSON or YAML: `{ creditsPerDay?, balance?, calls: [{ operation, params?, every | everyMs, activeHours? }] }` or
 * the list of calls alone.
 * @throws CommandError naming the file, the line where it is known, and what is wrong
 */
export async function readPlanFile(file: NamedFile): Promise<PlanFile> {
  const { name } = file
  const text = readTextFile('plan', file)
  // The parser of YAML is large and loads when it is needed. It is CommonJS, so a module of its own imports it.
  const isJson = /^\s*[[{]/.test(text) && !/\.ya?ml$/i.test(name)
  const parse = isJson ? parseJson : (await import('./parse-yaml.ts')).parseYaml
  const { value, lineOf } = parse(name, text)
  const plan = toPlan(name, value)
  for (const [index, call] of plan.calls.entries()) {
    try {
      checkNames(call)
      planCredits([call])
    } catch (error) {
      const line = lineOf(index)
      const place = `${name}${line === undefined ? '' : `:${line}`}: calls[${index}]`
      // The library names the call by its position in the list that it was given.
      const reason = (error as Error).message
        .replace(/\bcalls\[0\]/g, `calls[${index}]`)
        .replace(' Nothing was sent.', '')
      throw usageError(`${place}: ${reason}`, error)
    }
  }
  return plan
}

/** @throws CommandError for a misspelt name, with the nearest one */
function checkNames(call: unknown): void {
  if (typeof call !== 'object' || call === null) return
  for (const name of Object.keys(call)) {
    if (!CALL_FIELDS.includes(name)) throw unknownValue('field', name, CALL_FIELDS)
  }
  const { operation } = call as { operation?: unknown }
  if (typeof operation === 'string') readOperation(operation)
}

function toPlan(path: string, value: unknown): PlanFile {
  if (Array.isArray(value)) return { calls: value }
  if (typeof value !== 'object' || value === null)
    throw usageError(`${path}: it must hold a list of calls, or an object with ${FIELDS.join(', ')}.`)
  for (const name of Object.keys(value)) {
    if (!FIELDS.includes(name)) throw usageError(`${path}: ${unknownValue('field', name, FIELDS).message}`)
  }
  const plan = value as { calls?: unknown; creditsPerDay?: unknown; balance?: unknown }
  if (!Array.isArray(plan.calls)) throw usageError(`${path}: calls is missing. It must be a list of calls.`)
  for (const name of ['creditsPerDay', 'balance'] as const) {
    const number = plan[name]
    if (number !== undefined && !(typeof number === 'number' && number > 0 && Number.isFinite(number)))
      throw usageError(`${path}: ${name} must be a number of credits above 0.`)
  }
  return plan as PlanFile
}

function parseJson(path: string, text: string): ParsedPlan {
  try {
    return { value: JSON.parse(text), lineOf: () => undefined }
  } catch (error) {
    throw usageError(`${path}: it is no valid JSON: ${(error as Error).message}.`, error)
  }
}
