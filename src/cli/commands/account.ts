import { creditsToUsd } from 'etn-market'
import { cleanLine } from '../../utils/clean-line.ts'
import { addExample, addServiceOptions } from '../common-options.ts'
import { formatCount, formatUsd } from '../output.ts'
import { readPlanFile } from '../plan-file.ts'
import { forecastPlan } from '../plan-forecast.ts'
import type { AddCommand } from '../program.ts'
import { type CommonOptions, inSession } from '../session.ts'
import { describeBalance } from './plan.ts'

/** Adds `etn-market account`. With `--json` it prints `{ credits, usd, tier }`, and `daysUntilEmpty` with a plan. */
export const addCommand: AddCommand = (program, host) => {
  const command = program.command('account').description('Balance and tier of the key. Free.')
  command.option('--plan <file>', 'a plan as for `etn-market plan`: prints the days until the balance is empty')
  addServiceOptions(command).action(
    inSession<CommonOptions & { plan?: string }, []>(host, async (session, options) => {
      const file = options.plan === undefined ? undefined : await readPlanFile(session.file(options.plan), host.cwd())
      const client = await session.client()
      const { credits: stated, tier = null } = await client.account.me(undefined, { signal: session.signal })
      const credits = typeof stated === 'number' ? stated : null
      const usd = credits === null ? null : creditsToUsd(credits)
      const plan = file && credits !== null && credits > 0 ? forecastPlan({ ...file, balance: credits }) : undefined
      const daysUntilEmpty = plan?.daysUntilEmpty ?? (credits === 0 ? 0 : null)
      if (session.json) session.printJson({ credits, usd, tier, ...(file && { daysUntilEmpty }) })
      else {
        session.print(`Credits: ${usd === null ? 'not stated' : `${formatCount(Number(credits))} (${formatUsd(usd)})`}`)
        session.print(`Tier: ${tier === null ? 'not stated' : cleanLine(String(tier))}`)
        if (file && daysUntilEmpty !== null) session.print(describeBalance(daysUntilEmpty))
      }
    }),
  )
  addExample(command, 'account --plan credits.yaml')
}
