import type { Tape } from 'etn-market/fake'
import { addExample, addServiceOptions } from '../common-options.ts'
import { compareOpenApi, readContract } from '../contract.ts'
import { EXIT, exitCodeOf } from '../failure.ts'
import { requireWritable, savePaidFor, writeWhole } from '../files.ts'
import type { AddCommand } from '../program.ts'
import { type CommonOptions, inSession } from '../session.ts'
import { cleanLine, redactKeys } from '../text.ts'
import {
  callOperations,
  costOfVerification,
  LastAnswer,
  type OperationResult,
  PROBES,
  sendProbe,
} from '../verify-calls.ts'

interface VerifyArguments extends CommonOptions {
  readonly report?: string
  readonly tape?: string
}

/** Everything that the verification found out. */
interface Verification {
  readonly operations: readonly OperationResult[]
  readonly probes: readonly string[]
  readonly openapi: readonly string[]
  readonly credits: number
}

/**
 * Adds `etn-market verify`. With `--json` it prints `{ operations, probes, openapi, credits }`. It exits with 1 when something differs
 * from the contract, and with 3 when the service failed.
 */
export const addCommand: AddCommand = (program, host) => {
  const command = program
    .command('verify')
    .description('Call every operation once, with its smallest page, and compare the answers with the contract.')
    .option('--report <file>', 'write a report in Markdown, without values')
    .option('--tape <file>', 'write the answers as a tape for the fake service')
  addServiceOptions(command).action(
    inSession<VerifyArguments, []>(host, async (session, { report, tape: tapeName }) => {
      if (report !== undefined) requireWritable('--report', session.file(report))
      if (tapeName !== undefined) requireWritable('--tape', session.file(tapeName))
      const last = new LastAnswer()
      const client = await session.client({ hooks: { afterResponse: [last.hook] } })
      const note = 'the upper end only if the service serves what it should refuse'
      await session.authorize({ what: 'verify', ...costOfVerification(), note })
      const { signal } = session
      const contract = await readContract()
      const { operations, tape, errors } = await callOperations(client, contract, last, signal, (operation) => {
        if (!session.json && host.stderr.isTTY) session.note(`Calling ${operation}`)
      })
      const probes: string[] = []
      for (const probe of PROBES) probes.push(...(await sendProbe(client, probe, signal, last)))
      const document = tape.find(({ operation }) => operation === 'meta.openapi')?.data
      const openapi = document === undefined ? [] : compareOpenApi(contract, document)
      const verification: Verification = { operations, probes, openapi, credits: client.credits.charged }
      const answers = redactKeys(JSON.stringify(toTape(tape), undefined, 1))
      const save = (option: string, name: string | undefined, text: string) => {
        if (name === undefined) return
        const { path } = session.file(name)
        savePaidFor(`${option} ${name}`, { name: 'tape.json', text: () => answers }, () => writeWhole(path, text))
      }
      save('--tape', tapeName, answers)
      save('--report', report, redactKeys(toMarkdown(verification, program.version() ?? '')))
      if (session.json) session.printJson(verification)
      else for (const line of toLines(verification)) session.print(cleanLine(line))
      const isClean = operations.every(({ status }) => status === 'matches') && probes.length + openapi.length === 0
      if (errors.some((error) => exitCodeOf(error) === EXIT.service)) session.exitCode = EXIT.service
      else if (!isClean) session.exitCode = EXIT.refused
    }),
  )
  addExample(command, 'verify --report report.md --tape tape.json')
}

const toTape = (entries: Tape['entries']): Tape => ({ format: 'etn-market-tape', version: 1, entries })

/** Lines for people. */
function toLines({ operations, probes, openapi }: Verification): string[] {
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
function toMarkdown(verification: Verification, version: string): string {
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
