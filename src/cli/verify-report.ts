import type { Comparison } from './compare-answer.ts'
import type { Sample } from './verify-calls.ts'

/** What the verification found out about one operation. */
export interface OperationResult {
  readonly operation: string
  /** `matches`, `differs`, `not_verified` without an address to ask about, or `failed`. */
  readonly status: 'matches' | 'differs' | 'not_verified' | 'failed'
  readonly credits: number
  /** Each names the place and the types, never a value. */
  readonly differences: readonly string[]
  /** Fields whose grade can be raised to `observed`. */
  readonly confirmed: readonly string[]
  readonly notSeen: readonly string[]
}

/** Everything that the verification found out. */
export interface Verification {
  readonly operations: readonly OperationResult[]
  readonly probes: readonly string[]
  readonly openapi: readonly string[]
  readonly credits: number
}

export function toResult(sample: Sample, comparison: Comparison): OperationResult {
  const { operation, credits, notes, problem } = sample
  const found = comparison.differences.map(({ kind, path, message }) => `${kind}: ${path || 'the answer'}: ${message}`)
  const differences = [...found, ...notes, ...(problem ? [problem.message] : [])]
  const status = problem?.kind ?? (differences.length > 0 ? 'differs' : 'matches')
  return { operation, status, credits, differences, confirmed: comparison.confirmed, notSeen: comparison.notSeen }
}

/** Whether everything that was asked is as the contract says. */
export function isClean({ operations, probes, openapi }: Verification): boolean {
  return operations.every(({ status }) => status === 'matches') && probes.length === 0 && openapi.length === 0
}

/** Lines for people. */
export function toLines({ operations, probes, openapi }: Verification): string[] {
  const raised = operations.flatMap(({ operation, confirmed }) => confirmed.map((path) => `${operation} ${path}`))
  const unseen = operations.flatMap(({ operation, notSeen }) => notSeen.map((path) => `${operation} ${path}`))
  return [
    ...operations.flatMap(({ operation, status, differences }) => [
      `${status === 'matches' ? 'ok' : status.replace('_', ' ')}  ${operation}`,
      ...differences.map((line) => `      ${line}`),
    ]),
    ...probes.map((line) => `differs  ${line}`),
    ...openapi.map((line) => `differs  openapi.json: ${line}`),
    `${raised.length} grades can be raised to observed, ${unseen.length} fields were not seen: --report lists them.`,
  ]
}

/** A report in Markdown, without values of the service and without keys. */
export function toMarkdown(verification: Verification, version: string): string {
  const { operations, probes, openapi, credits } = verification
  const listOf = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`## ${title}`, '', ...lines.map((line) => `- ${line}`), '']
  const placesOf = (name: 'confirmed' | 'notSeen') =>
    operations.flatMap((result) => result[name].map((path) => `\`${result.operation}\` \`${path}\``))
  return [
    '# What the service answers, compared with the contract',
    '',
    `etn-market ${version}. ${credits} credits. No values are shown.`,
    '',
    '| Operation | Result | Credits |',
    '|---|---|---:|',
    ...operations.map(
      (result) => `| \`${result.operation}\` | ${result.status.replace('_', ' ')} | ${result.credits} |`,
    ),
    '',
    ...listOf(
      'Differences',
      operations.flatMap(({ operation, differences }) => differences.map((line) => `\`${operation}\`: ${line}`)),
    ),
    ...listOf('Refusals', probes),
    ...listOf('openapi.json', openapi),
    ...listOf('Grades that can be raised to observed', placesOf('confirmed')),
    ...listOf('Not seen: null, empty or absent', placesOf('notSeen')),
  ].join('\n')
}
