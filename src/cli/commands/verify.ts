import type { Tape } from 'etn-market/fake'
import { cleanLine } from '../../utils/clean-line.ts'
import { addExample, addServiceOptions } from '../common-options.ts'
import { compareOpenApi, readContract } from '../compare-contract.ts'
import { EXIT, exitCodeOf } from '../failure.ts'
import { requireWritable, savePaidFor, writeWhole } from '../files.ts'
import { formatItems } from '../output.ts'
import type { AddCommand } from '../program.ts'
import { type CommonOptions, inSession } from '../session.ts'
import { redactKeys } from '../text.ts'
import { costOfVerification, Verification } from '../verify-calls.ts'

interface Report extends Pick<Verification, 'operations' | 'probes'> {
  readonly openapi: readonly string[]
  readonly credits: number
}

type VerifyArguments = CommonOptions & { readonly report?: string; readonly tape?: string }

/** Adds `etn-market verify`. It exits with 1 when something differs, and with 3 when the service failed. */
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
      const contract = await readContract()
      const verification = new Verification(contract)
      const client = await session.client({ hooks: { afterResponse: [verification.hook] } })
      const note = 'the upper end only if the service serves what it should refuse'
      await session.authorize({ what: 'verify', ...costOfVerification(), note })
      await verification.run(session, client)
      const { operations, probes, tape, errors } = verification
      const theirs = tape.find(({ operation }) => operation === 'meta.openapi')?.data
      const openapi = theirs === undefined ? [] : compareOpenApi(contract, theirs)
      const found: Report = { operations, probes, openapi, credits: client.credits.charged }
      const document: Tape = { format: 'etn-market-tape', version: 1, entries: tape }
      const answers = redactKeys(JSON.stringify(document, undefined, 1))
      const save = (option: string, name: string | undefined, text: string) => {
        if (name === undefined) return
        const { path } = session.file(name)
        savePaidFor(`${option} ${name}`, 'tape.json', answers, () => writeWhole(path, text))
      }
      save('--tape', tapeName, answers)
      save('--report', report, redactKeys(toMarkdown(found, program.version() ?? '')))
      if (session.json) session.printJson(found)
      else for (const line of toLines(found)) session.print(cleanLine(line))
      const isClean = operations.every(({ status }) => status === 'matches') && probes.length + openapi.length === 0
      if (errors.some((error) => exitCodeOf(error) === EXIT.service)) session.exitCode = EXIT.service
      else if (!isClean) session.exitCode = EXIT.refused
    }),
  )
  addExample(command, 'verify --report report.md --tape tape.json')
}

function toLines({ operations, probes, openapi }: Report): string[] {
  const count = (name: 'confirmed' | 'notSeen') => operations.reduce((sum, result) => sum + result[name].length, 0)
  return [
    ...operations.flatMap(({ operation, status, differences }) => [
      `${status === 'matches' ? 'ok' : status.replace('_', ' ')}  ${operation}`,
      ...differences.map((line) => `      ${line}`),
    ]),
    ...probes.map((line) => `differs  ${line}`),
    ...openapi.map((line) => `differs  openapi.json: ${line}`),
    `${formatItems(count('confirmed'), 'grade')} can be raised to observed, ${formatItems(count('notSeen'), 'field')} not seen: --report lists them.`,
  ]
}

/** A report in Markdown, without values of the service and without keys. */
function toMarkdown({ operations, probes, openapi, credits }: Report, version: string): string {
  const listOf = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`## ${title}`, '', ...lines.map((line) => `- ${line}`), '']
  const differences = operations.flatMap(({ operation, differences }) =>
    differences.map((line) => `\`${operation}\`: ${line}`),
  )
  const places = (name: 'confirmed' | 'notSeen') =>
    operations.flatMap((result) => result[name].map((path) => `\`${result.operation}\` \`${path}\``))
  return [
    '# What the service answers, compared with the contract',
    '',
    `etn-market ${version}. ${formatItems(credits, 'credit')}. No values are shown.`,
    '',
    '| Operation | Result | Credits |',
    '|---|---|---:|',
    ...operations.map((one) => `| \`${one.operation}\` | ${one.status.replace('_', ' ')} | ${one.credits} |`),
    '',
    ...listOf('Differences', differences),
    ...listOf('Refusals', probes),
    ...listOf('openapi.json', openapi),
    ...listOf('Grades that can be raised to observed', places('confirmed')),
    ...listOf('Not seen: null, empty or absent', places('notSeen')),
  ].join('\n')
}
