import { createRequire } from 'node:module'
import { Command, CommanderError } from 'commander'
import { cleanLine } from '../utils/clean-line.ts'
import { describeFailure, EXIT } from './failure.ts'
import { reasonOf, saveTemporarily } from './files.ts'
import type { HostProcess, Output } from './host.ts'
import { redactKeys, toJson } from './text.ts'

/** Runs the program. Resolves with the exit code, or with undefined if a server keeps the process alive. */
export async function run(args: readonly string[], host: HostProcess): Promise<number | undefined> {
  const failures: NodeJS.ErrnoException[] = []
  host.stdout.on('error', (error) => failures.push(error))
  // Where nobody reads the messages, there is nobody to tell.
  host.stderr.on('error', () => {})
  const code = await runCommand(args, host)
  // A failed write is reported a little later.
  await new Promise<void>((resolve) => host.stdout.write('', () => resolve()))
  const [failure] = failures
  if (failure === undefined) return code
  if (failure.code === 'EPIPE') return EXIT.ok
  const unwritten = host.stdout.unwritten?.()
  // There was room again.
  if (unwritten === '') return code
  const savedTo = unwritten === undefined ? undefined : saveTemporarily('output', unwritten)
  const where = savedTo === undefined ? '' : ` What it did not take is in ${savedTo}`
  host.stderr.write(`error: standard output: ${reasonOf(failure)}.${where}\n`)
  return EXIT.refused
}

async function runCommand(args: readonly string[], host: HostProcess): Promise<number | undefined> {
  const wanted = args.find((arg) => arg !== 'help' && !arg.startsWith('-'))
  const program = await createProgram(host, (name) => name === wanted)
  if (args.length === 0) {
    program.outputHelp({ error: true })
    return EXIT.usage
  }
  try {
    await program.parseAsync(args, { from: 'user' })
    return host.exitCode
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok
    const { exitCode, message, ...details } = describeFailure(error)
    const line = redactKeys(cleanLine(message))
    if (line !== '') {
      if (args.includes('--json')) host.stdout.write(`${toJson({ error: { ...details, message: line } })}\n`)
      else {
        host.stderr.write(`error: ${line}\n`)
        // Data that was paid for, and that no file took.
        if (typeof details.content === 'string') host.stdout.write(details.content)
      }
    }
    return exitCode
  }
}

/** Adds a command to the program. `loadAll` makes a program with every command. */
export type AddCommand = (program: Command, host: HostProcess, loadAll: () => Promise<Command>) => void

type Load = () => Promise<{ readonly addCommand: AddCommand }>

/** The name and the summary of each command, and what loads it when it is used, so that the program starts fast. */
const COMMANDS: readonly (readonly [name: string, summary: string, load: Load])[] = [
  ['demo', 'what this is, in ten seconds, without a key', () => import('./commands/demo.ts')],
  ['cost', 'what a call costs', async () => ({ addCommand: (await import('./commands/call.ts')).addCostCommand })],
  ['call', 'call an operation', () => import('./commands/call.ts')],
  ['plan', 'what a schedule of calls costs', () => import('./commands/plan.ts')],
  ['run', 'carry out a plan, within its limit of the day', () => import('./commands/run.ts')],
  ['prices', 'prices of tokens, once or as they change', () => import('./commands/prices.ts')],
  ['candles', 'a chart, CSV, SVG or a file of candles', () => import('./commands/candles.ts')],
  ['sweep', 'call an operation for many addresses, resumable', () => import('./commands/sweep.ts')],
  ['portfolio', 'what a wallet holds and what it is worth', () => import('./commands/portfolio.ts')],
  ['account', 'balance and tier of the key', () => import('./commands/account.ts')],
  ['verify', 'compare the service with the contract', () => import('./commands/verify.ts')],
  ['fake', 'serve the fake service over HTTP', () => import('./commands/fake.ts')],
  ['completion', 'a script that completes commands in bash, zsh or fish', () => import('./commands/completion.ts')],
]

async function createProgram(host: HostProcess, isWanted: (name: string) => boolean): Promise<Command> {
  const { version } = createRequire(import.meta.url)('etn-market/package.json') as { version: string }
  const program = new Command('etn-market')
    .description('Plan, spend and look up credits of the metered market-data API.')
    .version(version)
    // `--version` of a command is a parameter of the service.
    .enablePositionalOptions()
    .exitOverride()
    // Errors are printed in one place, where they become one line or JSON.
    .configureOutput({
      outputError: () => {},
      writeOut: (text) => void host.stdout.write(text),
      writeErr: (text) => void host.stderr.write(text),
      getOutHelpWidth: () => widthOf(host.stdout),
      getErrHelpWidth: () => widthOf(host.stderr),
    })
    .showSuggestionAfterError()
  for (const [name, summary, load] of COMMANDS) {
    if (isWanted(name)) {
      const { addCommand } = await load()
      addCommand(program, host, () => createProgram(host, () => true))
      program.commands.find((command) => command.name() === name)?.summary(summary)
    } else program.command(name).description(summary)
  }
  return program
}

/** Commander takes 80 where there is no terminal. */
const widthOf = ({ isTTY, columns }: Output) => (isTTY ? columns : undefined) as number
