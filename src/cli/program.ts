import { createRequire } from 'node:module'
import { Command } from 'commander'

/** A command and what loads it. The commands load when they are used, so that the program starts fast. */
interface CommandEntry {
  readonly name: string
  readonly summary: string
  /** `loadAll` makes a program with every command. */
  load(program: Command, loadAll: () => Promise<Command>): Promise<void>
}

const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'cost',
    summary: 'what a call costs',
    load: async (program) => (await import('./commands/cost.ts')).addCostCommand(program),
  },
  {
    name: 'call',
    summary: 'call an operation',
    load: async (program) => (await import('./commands/call.ts')).addCallCommand(program),
  },
  {
    name: 'plan',
    summary: 'what a schedule of calls costs',
    load: async (program) => (await import('./commands/plan.ts')).addPlanCommand(program),
  },
  {
    name: 'prices',
    summary: 'prices of tokens, once or as they change',
    load: async (program) => (await import('./commands/prices.ts')).addPricesCommand(program),
  },
  {
    name: 'candles',
    summary: 'a chart, CSV, SVG or a file of candles',
    load: async (program) => (await import('./commands/candles.ts')).addCandlesCommand(program),
  },
  {
    name: 'sweep',
    summary: 'call an operation for many addresses, resumable',
    load: async (program) => (await import('./commands/sweep.ts')).addSweepCommand(program),
  },
  {
    name: 'portfolio',
    summary: 'what a wallet holds and what it is worth',
    load: async (program) => (await import('./commands/portfolio.ts')).addPortfolioCommand(program),
  },
  {
    name: 'account',
    summary: 'balance and tier of the key',
    load: async (program) => (await import('./commands/account.ts')).addAccountCommand(program),
  },
  {
    name: 'verify',
    summary: 'compare the service with the contract',
    load: async (program) => (await import('./commands/verify.ts')).addVerifyCommand(program),
  },
  {
    name: 'fake',
    summary: 'serve the fake service over HTTP',
    load: async (program) => (await import('./fake-command.ts')).addFakeCommand(program),
  },
  {
    name: 'completion',
    summary: 'a script that completes commands in bash, zsh or fish',
    load: async (program, loadAll) => {
      ;(await import('./commands/completion.ts')).addCompletionCommand(program, loadAll)
    },
  },
]

/** The program with the command that the arguments name; the others are there by name only. */
export function createProgram(args: readonly string[]): Promise<Command> {
  const wanted = args.find((arg) => arg !== 'help' && !arg.startsWith('-'))
  return loadProgram((name) => name === wanted)
}

async function loadProgram(isWanted: (name: string) => boolean): Promise<Command> {
  const { version } = createRequire(import.meta.url)('etn-market/package.json') as { version: string }
  const program = new Command('etn-market')
    .description('Plan, spend and look up credits of the metered market-data API.')
    .version(version)
    // `--version` of a command is a parameter of the service.
    .enablePositionalOptions()
    .exitOverride()
    // Errors are printed in one place, where they become one line or JSON.
    .configureOutput({ outputError: () => {} })
    .showSuggestionAfterError()
  for (const { name, summary, load } of COMMANDS) {
    if (isWanted(name)) {
      await load(program, () => loadProgram(() => true))
      program.commands.find((command) => command.name() === name)?.summary(summary)
    } else program.command(name).description(summary)
  }
  return program
}
