import { createRequire } from 'node:module'
import { Command } from 'commander'
import type { HostProcess, Output } from './host.ts'

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

/** The program with the command that the arguments name; the others are there by name only. */
export function createProgram(args: readonly string[], host: HostProcess): Promise<Command> {
  const wanted = args.find((arg) => arg !== 'help' && !arg.startsWith('-'))
  return loadProgram(host, (name) => name === wanted)
}

async function loadProgram(host: HostProcess, isWanted: (name: string) => boolean): Promise<Command> {
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
      addCommand(program, host, () => loadProgram(host, () => true))
      program.commands.find((command) => command.name() === name)?.summary(summary)
    } else program.command(name).description(summary)
  }
  return program
}

/** Commander takes 80 where there is no terminal. */
const widthOf = ({ isTTY, columns }: Output) => (isTTY ? columns : undefined) as number
