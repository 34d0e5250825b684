import type { Command } from 'commander'
import { type EtnMarketError, isEtnMarketError } from 'etn-market'
import type { Tape } from 'etn-market/fake'
import { addExample, addServiceOptions } from '../common-options.ts'
import { type Comparison, compareAnswer, compareOpenApi, readContract } from '../compare-answer.ts'
import { EXIT, exitCodeOf } from '../failure.ts'
import { requireWritable, savePaidFor, writeWhole } from '../files.ts'
import type { HostProcess, NamedFile } from '../host.ts'
import { type CommonOptions, inSession } from '../session.ts'
import { authorizeSpending } from '../spending.ts'
import { cleanLine, redactKeys } from '../text.ts'
import { costOfVerification, LastAnswer, PROBES, type Sample, sendProbe, takeSamples } from '../verify-calls.ts'

interface VerifyArguments extends CommonOptions {
  readonly report?: string
  readonly tape?: string
}

/**
 * Adds `etn-market verify`. With `--json` it prints `{ operations, probes, openapi, credits }`. It exits with 1 when something differs
 * from the contract, and with 3 when the service failed.
 */
export function addVerifyCommand(program: Command, host: HostProcess): void {
  const command = program
    .command('verify')
    .description('Call every operation once, with its smallest page, and compare the answers with the contract.')
    .option('--report <file>', 'write a report in Markdown, without values')
    .option('--tape <file>', 'write the answers as a tape for the fake service')
  addServiceOptions(command).action(
    inSession<VerifyArguments, []>(host, async (session, options) => {
      const report = options.report === undefined ? undefined : session.file(options.report)
      const tapeFile = options.tape === undefined ? undefined : session.file(options.tape)
      if (report) requireWritable('--report', report)
      if (tapeFile) requireWritable('--tape', tapeFile)
      const last = new LastAnswer()
      const client = await session.client({ hooks: { afterResponse: [last.hook] } })
      const note = 'the upper end only if the service serves what it should refuse'
      await authorizeSpending(session, options, { what: 'verify', ...costOfVerification(), note })
      const { signal } = session
      const contract = await readContract()
      const { samples, tape } = await takeSamples(client, signal, last, (operation) => {
        if (!session.json && host.stderr.isTTY) session.note(`Calling ${operation}`)
      })
      const probes: string[] = []
      for (const probe of PROBES) probes.push(...(await sendProbe(client, probe, signal, last)))
      const document = tape.find(({ operation }) => operation === 'meta.openapi')?.data
      const verification: Verification = {
        operations: samples.map((sample) => toResult(sample, compareSample(contract, sample))),
        probes,
        openapi: document === undefined ? [] : compareOpenApi(contract.document, document),
        credits: client.credits.charged,
      }
      const answers = redactKeys(JSON.stringify(toTape(tape), undefined, 1))
      const save = (option: string, { name, path }: NamedFile, text: string) =>
        savePaidFor(`${option} ${name}`, { name: 'tape.json', text: () => answers }, () => writeWhole(path, text))
      if (tapeFile) save('--tape', tapeFile, answers)
      if (report) save('--report', report, redactKeys(toMarkdown(verification, program.version() ?? '')))
      if (session.json) session.printJson(verification)
      else for (const line of toLines(verification)) session.print(cleanLine(line))
      return exitCodeFor(samples, verification)
    }),
  )
  addExample(command, 'verify --report report.md --tape tape.json')
}

function compareSample(contract: Parameters<typeof compareAnswer>[0], { operation, body, problem }: Sample) {
  if (problem !== undefined) return { differences: [], confirmed: [], notSeen: [] }
  if (operation !== 'meta.openapi') return compareAnswer(contract, operation, body)
  // The OpenAPI document may come without its envelope. What is in it is compared by operation.
  const isBare = typeof body === 'object' && body !== null && 'openapi' in body
  const comparison = compareAnswer(contract, operation, isBare ? { data: body, cursor: null } : body)
  return { ...comparison, differences: comparison.differences.filter(({ kind }) => kind !== 'new') }
}

function exitCodeFor(samples: readonly Sample[], verification: Verification): number {
  const failed = samples.filter(({ problem }) => problem?.kind === 'failed')
  const errors = failed.map(({ problem }) => problem?.error).filter(isEtnMarketError) as EtnMarketError[]
  if (errors.some((error) => exitCodeOf(error) === EXIT.service)) return EXIT.service
  return isClean(verification) ? EXIT.ok : EXIT.refused
}

const toTape = (entries: Tape['entries']): Tape => ({ format: 'etn-market-tape', version: 1, entries })

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
