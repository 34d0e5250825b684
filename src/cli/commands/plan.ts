import type { Command } from 'commander'
import { type CreditPlan, planCredits } from 'etn-market'
import { addExample, readCredits } from '../common-options.ts'
import { EXIT, usageError } from '../failure.ts'
import type { HostProcess } from '../host.ts'
import { type Colors, formatCount, formatCredits, formatUsd } from '../output.ts'
import { type PlanFile, readPlanFile } from '../plan-file.ts'
import { type CommonOptions, inSession, type Session } from '../session.ts'
import { formatTable } from '../table.ts'

interface PlanArguments extends CommonOptions {
  readonly dailyLimit?: number
  readonly balance?: number
}

const BAR_WIDTH = 20

/**
 * Adds `etn-market plan`, which sends nothing. With `--json` it prints what `planCredits` returns, with `limit` and `withinLimit`.
 * It exits with 1 when the plan exceeds its daily limit, so that a job of a CI fails:
 *
 *     - run: npx etn-market plan credits.yaml --daily-limit 100000
 */
export function addPlanCommand(program: Command, host: HostProcess): void {
  const command = program
    .command('plan <file>')
    .description('What a schedule of calls costs. Sends nothing. Exits with 1 when it exceeds the daily limit.')
    .option('--daily-limit <credits>', 'credits that may be spent a day', readCredits)
    .option('--balance <credits>', 'credits on the key, for the days until it is empty', readCredits)
    .option('--json', 'print the plan as JSON')
  command.action(
    inSession<PlanArguments, [string]>(host, async (session, options, name) => {
      const file = await readPlanFile(session.file(name))
      const limit = options.dailyLimit ?? file.creditsPerDay
      const plan = makePlan(file, limit, options.balance ?? file.balance)
      const withinLimit = limit === undefined || plan.creditsPerDay <= limit
      if (session.json) session.printJson({ limit: limit ?? null, withinLimit, ...plan })
      else printPlan(session, plan, limit)
      return withinLimit ? EXIT.ok : EXIT.refused
    }),
  )
  addExample(command, 'plan credits.yaml --daily-limit 100000 --balance 2000000')
  command.addHelpText(
    'after',
    `
A plan in YAML:
  creditsPerDay: 100000
  calls:
    - { operation: etn.price, every: 1m }
    - { operation: token.price, params: { address: 0x043f… }, every: 5m, activeHours: 12 }`,
  )
}

/** The plan of a file. A limit or a balance of 0 allows nothing. */
export function makePlan(file: PlanFile, limit: number | undefined, balance: number | undefined): CreditPlan {
  if (limit === 0) throw usageError('--daily-limit: it must be above 0.')
  if (balance === 0) throw usageError('--balance: it must be above 0.')
  return planCredits(file.calls, { creditsPerDay: limit, credits: balance })
}

function printPlan({ print, colors }: Session, plan: CreditPlan, limit: number | undefined): void {
  const columns = [
    { title: 'operation' },
    { title: 'every', align: 'right' },
    { title: 'hours', align: 'right' },
    { title: 'a call', align: 'right' },
    { title: 'credits a day', align: 'right' },
    { title: 'a day', align: 'right' },
    { title: 'share', align: 'right' },
    { title: '', style: colors.cyan },
  ] as const
  const rows = plan.calls.map((call) => [
    call.operation,
    formatInterval(call.everyMs),
    String(call.activeHours),
    formatRange(call.minCredits, call.credits),
    formatRange(call.minCreditsPerDay, call.creditsPerDay),
    formatUsd(call.usdPerDay),
    `${(100 * call.share).toFixed(1)} %`,
    '█'.repeat(Math.round(BAR_WIDTH * call.share)) || '▏',
  ])
  for (const line of formatTable(columns, rows, colors.bold)) print(line)
  print('')
  print(
    `A day: ${formatCredits(plan.minCreditsPerDay, plan.creditsPerDay)}, ${formatCount(plan.requestsPerDay)} requests.`,
  )
  print(`30 days: ${formatCredits(plan.minCreditsPer30Days, plan.creditsPer30Days)}.`)
  if (plan.daysUntilEmpty !== undefined) print(describeBalance(plan.daysUntilEmpty))
  if (limit !== undefined) print(describeLimit(plan, limit, colors))
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

function describeLimit({ creditsPerDay, stretch = 1 }: CreditPlan, limit: number, colors: Colors): string {
  if (creditsPerDay <= limit) return colors.green(`Within the limit of ${formatCount(limit)} credits a day.`)
  const factor = Math.ceil(100 * stretch) / 100
  return colors.red(
    `Over the limit of ${formatCount(limit)} credits a day: it fits with intervals ${factor} times as long.`,
  )
}

function formatRange(min: number, max: number): string {
  return min === max ? formatCount(max) : `${formatCount(min)}–${formatCount(max)}`
}

/** The interval in its largest unit, such as `5m`. */
function formatInterval(ms: number): string {
  const units = { d: 86_400_000, h: 3_600_000, m: 60_000 }
  const [unit, size] = Object.entries(units).find(([, length]) => ms >= length) ?? ['s', 1_000]
  return `${Number((ms / size).toFixed(2))}${unit}`
}
