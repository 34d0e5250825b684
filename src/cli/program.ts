import { createRequire } from 'node:module'
import { Command } from 'commander'
import type { HostProcess, Output } from './host.ts'

/** A command and what loads it. The commands load when they are used, so that the program starts fast. */
interface CommandEntry {
  readonly name: string
  readonly summary: string
  /** `loadAll` makes a program with every command. */
  load(program: Command, host: HostProcess, loadAll: () => Promise<Command>): Promise<void>
}

const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'demo',
    summary: 'what this is, in ten seconds, without a key',
    load: async (program, host) => (await import('./commands/demo.ts')).addDemoCommand(program, host),
  },
  {
    name: 'cost',
    summary: 'what a call costs',
    load: async (program, host) => (await import('./commands/cost.ts')).addCostCommand(program, host),
  },
  {
    name: 'call',
    summary: 'call an operation',
    load: async (program, host) => (await import('./commands/call.ts')).addCallCommand(program, host),
  },
  {
    name: 'plan',
    summary: 'what a schedule of calls costs',
    load: async (program, host) => (await import('./commands/plan.ts')).addPlanCommand(program, host),
  },
  {
    name: 'run',
    summary: 'carry out a plan, within its limit of the day',
    load: async (program, host) => (await import('./commands/run.ts')).addRunCommand(program, host),
  },
  {
    name: 'prices',
    summary: 'prices of tokens, once or as they change',
    load: async (program, host) => (await import('./commands/prices.ts')).addPricesCommand(program, host),
  },
  {
    name: 'candles',
    summary: 'a chart, CSV, SVG or a file of candles',
    load: async (program, host) => (await import('./commands/candles.ts')).addCandlesCommand(program, host),
  },
  {
    name: 'sweep',
    summary: 'call an operation for many addresses, resumable',
    load: async (program, host) => (await import('./commands/sweep.ts')).addSweepCommand(program, host),
  },
  {
    name: 'portfolio',
    summary: 'what a wallet holds and what it is worth',
    load: async (program, host) => (await import('./commands/portfolio.ts')).addPortfolioCommand(program, host),
  },
  {
    name: 'account',
    summary: 'balance and tier of the key',
    load: async (program, host) => (await import('./commands/account.ts')).addAccountCommand(program, host),
  },
  {
    name: 'verify',
    summary: 'compare the service with the contract',
    load: async (program, host) => (await import('./commands/verify.ts')).addVerifyCommand(program, host),
  },
  {
    name: 'fake',
    summary: 'serve the fake service over HTTP',
    load: async (program, host) => (await import('./commands/fake.ts')).addFakeCommand(program, host),
  },
  {
    name: 'completion',
    summary: 'a script that completes commands in bash, zsh or fish',
    load: async (program, host, loadAll) => {
      ;(await import('./commands/completion.ts')).addCompletionCommand(program, host, loadAll)
    },
  },
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
  for (const { name, summary, load } of COMMANDS) {
    if (isWanted(name)) {
      await load(program, host, () => loadProgram(host, () => true))
      program.commands.find((command) => command.name() === name)?.summary(summary)
    } else program.command(name).description(summary)
  }
  return program
}

/** Commander takes 80 where there is no terminal. */
const widthOf = ({ isTTY, columns }: Output) => (isTTY ? columns : undefined) as number
