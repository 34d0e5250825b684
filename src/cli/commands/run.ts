import { InvalidArgumentError, Option } from 'commander'
import { createBudget } from 'etn-market'
import { createFileStore } from 'etn-market/node'
import { SystemClock } from '../../concurrency/clock.ts'
import { cleanLine } from '../../utils/clean-line.ts'
import { addExample, addKeyOptions, readSomeCredits } from '../common-options.ts'
import { refusal, usageError } from '../failure.ts'
import { nameFile, statPath } from '../files.ts'
import { type PlanFile, readPlanFile } from '../plan-file.ts'
import { forecastPlan } from '../plan-forecast.ts'
import type { AddCommand } from '../program.ts'
import { checkOutputs, stateOf } from '../run-plan/outputs.ts'
import { describeEvent } from '../run-plan/run-events.ts'
import { runPlan } from '../run-plan/run-plan.ts'
import { type CommonOptions, inSession, type Session } from '../session.ts'
import { toJson } from '../text.ts'
import { describeLimit, PLAN_HELP } from './plan.ts'

type RunArguments = CommonOptions & { readonly dailyLimit?: number }

/** Adds `etn-market run`. Its state is beside the plan: after `kill -9` it goes on where it was, and its limit still holds. */
export const addCommand: AddCommand = (program, host) => {
  const command = program
    .command('run <plan>')
    .description('Carry out a plan until Ctrl-C: watches, sweeps, candles and calls, within its limit of the day.')
    .option(
      '--daily-limit <credits>',
      'credits that may be spent a day (UTC); else creditsPerDay of the plan',
      readSomeCredits,
    )
  const option = new Option('--max-credits <n>').hideHelp().argParser(() => {
    throw new InvalidArgumentError('A run has a limit of each day: use --daily-limit.')
  })
  addKeyOptions(command, 'print events as JSON, one a line; errors too')
    .addOption(option)
    .action(
      inSession<RunArguments, [string]>(host, (session, options, name) => run(session, options, name), {
        endsByItself: false,
      }),
    )
  addExample(command, 'run plan.yaml', 'run plan.yaml --yes --json >> run.log')
  command.addHelpText('after', PLAN_HELP)
}

async function run(session: Session, options: RunArguments, name: string): Promise<void> {
  const file = await readPlanFile(session.file(name))
  const limit = options.dailyLimit ?? file.creditsPerDay
  if (limit === undefined) throw usageError(`${name}: creditsPerDay is missing. Set it there, or add --daily-limit.`)
  const plan = forecastPlan({ ...file, creditsPerDay: limit })
  if (!plan.withinLimit) throw refusal([...describeLimit(plan, limit), 'Nothing was sent.'].join(' '), 'over_limit')
  const planned = plan.creditsPerDay
  requireRunnable(name, file)
  await using store = createFileStore(stateOf(file))
  const keyFile = options.keyFile === undefined ? undefined : session.file(options.keyFile).path
  await checkOutputs(name, file, keyFile)
  const budget = createBudget({ creditsPerDay: limit, store })
  const client = await session.client({ budget })
  await session.authorize({ what: `${name}, each day`, min: 0, max: Math.ceil(planned) })
  session.noteWhenAborted()
  const running = runPlan({
    lines: file.lines,
    creditsPerDay: limit,
    planned,
    store,
    budget,
    clock: new SystemClock(),
    signal: session.signal,
    file: (output) => nameFile(file.folder, output),
    client,
    emit(event) {
      if (session.json) session.print(toJson({ ...event, time: new Date().toISOString() }))
      else for (const line of describeEvent(event)) session.print(cleanLine(line))
    },
  })
  await running.finally(async () => {
    // The store takes what is written last.
    await session.close()
    await budget.flush()
  })
}

function requireRunnable(name: string, { path, lines }: PlanFile): void {
  if (statPath(path)?.isFile() !== true)
    throw usageError(`${name}: it is a device or a pipe, and the state of a run is beside its plan. Name a file.`)
  const line = lines.find((one) => !one.isCallable)
  if (line === undefined) return
  throw usageError(`${name}: lines[${line.index}]: ${line.operation} needs addresses: count is enough for plan alone.`)
}
