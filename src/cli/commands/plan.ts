import type { CreditPlan } from 'etn-market'
import { requestsFor } from '../../credits/cheapest-requests.ts'
import { readEntries } from '../../file-store/file-store.ts'
import { formatDuration } from '../../utils/time-units.ts'
import { addExample, readSomeCredits } from '../common-options.ts'
import { EXIT } from '../failure.ts'
import { formatCount, formatCredits, formatItems, formatUsd } from '../output.ts'
import { type PlanFile, readPlanFile } from '../plan-file.ts'
import { adviceFor, forecastPlan, type PlanForecast } from '../plan-forecast.ts'
import type { PlanLine } from '../plan-line.ts'
import type { AddCommand } from '../program.ts'
import { checkOutputs, stateOf } from '../run-plan/outputs.ts'
import { type CommonOptions, inSession, type Session } from '../session.ts'
import { printTable } from '../table.ts'

type PlanArguments = CommonOptions & { readonly dailyLimit?: number; readonly balance?: number }

/** Adds `etn-market plan`. With `--json` it prints what `planCredits` returns, with `limit`, `withinLimit` and `slower`. */
export const addCommand: AddCommand = (program, host) => {
  const command = program
    .command('plan <file>')
    .description('What a schedule of calls costs. Sends nothing. Exits with 1 when it exceeds the daily limit.')
    .option('--daily-limit <credits>', 'credits that may be spent a day', readSomeCredits)
    .option('--balance <credits>', 'credits on the key, for the days until it is empty', readSomeCredits)
    .option('--json', 'print the plan as JSON')
  command.action(
    inSession<PlanArguments, [string]>(host, async (session, options, name) => {
      const file = await readPlanFile(session.file(name), host.cwd())
      // As `run` does when it opens its state.
      readEntries(stateOf(file))
      await checkOutputs(name, file)
      const { dailyLimit: limit = file.creditsPerDay, balance = file.balance } = options
      const forecast = forecastPlan({ ...file, creditsPerDay: limit, balance })
      const plan = { ...forecast, advice: adviceFor(file.lines, limit) }
      const notRunnable = file.lines.filter((line) => !line.isCallable).map(({ index }) => index)
      if (session.json) session.printJson({ ...plan, ...(notRunnable.length > 0 && { notRunnable }) })
      else printPlan(session, file, plan, notRunnable)
      if (!plan.withinLimit) session.exitCode = EXIT.refused
    }),
  )
  addExample(command, 'plan credits.yaml --daily-limit 100000 --balance 2000000')
  command.addHelpText('after', PLAN_HELP)
}

export const PLAN_HELP = `
A plan in YAML. Times are in UTC. The guide of the command has all fields.
  creditsPerDay: 100000
  lines:
    - { operation: etn.price, every: 1m }
    - { operation: prices.batch, addresses: tokens.txt, every: 5m }
    - { operation: token.candles, addresses: [0x043f…], every: 1h }
    - { operation: locks.get, addresses: tokens.txt, once: night }
    - { operation: nft.collection, addresses: nfts.txt, once: 03:30 }
`

function printPlan(
  session: Session,
  { lines }: PlanFile,
  plan: PlanForecast & Pick<CreditPlan, 'advice'>,
  notRunnable: readonly number[],
): void {
  const { print, colors } = session
  const hasHours = plan.calls.some(({ activeHours }) => activeHours < 24)
  const columns = [
    { title: 'operation' },
    { title: 'for', dropOrder: 1 },
    { title: 'calls', align: 'right', dropOrder: 2 },
    { title: 'every', align: 'right' },
    ...(hasHours ? [{ title: 'hours', align: 'right', dropOrder: 3 } as const] : []),
    { title: 'credits a day', align: 'right' },
    { title: 'a day', align: 'right', dropOrder: 5 },
    { title: 'share', align: 'right', dropOrder: 4 },
  ] as const
  const rows = plan.calls.map((call, index) => {
    const line = lines[index] as PlanLine
    const [min, max] = [formatCount(call.minCreditsPerDay), formatCount(call.creditsPerDay)]
    return [
      call.operation,
      call.for,
      // Prices of many addresses are one request.
      String(line.kind === 'prices' ? requestsFor(line.addresses?.length ?? 0) : call.count),
      line.every,
      ...(hasHours ? [String(call.activeHours)] : []),
      min === max ? max : `${min}–${max}`,
      formatUsd(call.usdPerDay),
      `${(100 * call.share).toFixed(1)} %`,
    ]
  })
  printTable(session, columns, rows)
  print('')
  print(
    `A day: ${formatCredits(plan.minCreditsPerDay, plan.creditsPerDay)}, ${formatItems(plan.requestsPerDay, 'request')}.`,
  )
  print(`30 days: ${formatCredits(plan.minCreditsPer30Days, plan.creditsPer30Days)}.`)
  if (plan.daysUntilEmpty !== undefined) print(describeBalance(plan.daysUntilEmpty))
  const [first, ...more] = plan.limit === null ? [] : describeLimit(plan, plan.limit)
  if (first !== undefined) print(plan.withinLimit ? colors.green(first) : colors.red(first))
  for (const line of more) print(line)
  const counted = notRunnable.map((index) => `lines[${index}]`).join(', ')
  if (counted !== '') print(`\`run\` needs addresses, not only a count, for ${counted}.`)
  const advice = plan.advice.filter(({ kind }) => kind !== 'over-limit')
  if (advice.length > 0) print(colors.bold('\nTo spend less:'))
  for (const { message } of advice) print(`- ${message}`)
}

/** Such as `The balance lasts 12.5 days at least.` */
export function describeBalance(days: number): string {
  return days === Number.POSITIVE_INFINITY
    ? 'The balance lasts for ever: nothing is spent.'
    : `The balance lasts ${days.toFixed(1)} days at least.`
}

export function describeLimit({ withinLimit, slower, stretch = 1, calls }: PlanForecast, limit: number): string[] {
  const of = `the limit of ${formatItems(limit, 'credit')} a day`
  if (withinLimit) return [`Within ${of}.`]
  if (stretch === Number.POSITIVE_INFINITY) {
    const fixed = calls.filter((call) => call.fixed).reduce((sum, call) => sum + call.creditsPerDay, 0)
    return [`Over ${of}: lines with once cost ${formatCount(fixed)} alone. Raise the limit, or shorten their lists.`]
  }
  const factor = Math.ceil(100 * stretch) / 100
  const except = calls.some((call) => call.fixed) ? '; lines with once stay as they are' : ''
  const lines = [`Over ${of}: it fits with intervals ${factor} times as long${except}.`]
  const call = slower && calls[slower.call]
  if (!call) return lines
  const [from, to] = [slower.everyMs, slower.insteadEveryMs].map(formatDuration)
  const name = call.for === '' ? call.operation : `${call.operation} (${call.for})`
  return [...lines, `Or slow ${name} from ${from} to ${to}: that saves ${formatItems(slower.saves, 'credit')} a day.`]
}
