import type { Command } from 'commander'
import { creditsToUsd } from 'etn-market'
import { addExample, addServiceOptions } from '../common-options.ts'
import { formatCount, formatUsd } from '../output.ts'
import { type CommonOptions, inSession } from '../session.ts'
import { cleanLine } from '../text.ts'

/** Adds `etn-market account`. With `--json` it prints `{ credits, usd, tier }`. */
export function addAccountCommand(program: Command): void {
  const command = program.command('account').description('Balance and tier of the key. Free.')
  addServiceOptions(command).action(
    inSession<CommonOptions, []>(async (session) => {
      const client = await session.client()
      const { credits = null, tier = null } = await client.account.me(undefined, { signal: session.signal })
      const usd = credits === null ? null : creditsToUsd(credits)
      if (session.json) session.printJson({ credits, usd, tier })
      else {
        session.print(
          `Credits: ${credits === null ? 'not stated' : `${formatCount(credits)} (${formatUsd(usd ?? 0)})`}`,
        )
        session.print(`Tier: ${tier === null ? 'not stated' : cleanLine(String(tier))}`)
      }
      return undefined
    }),
  )
  addExample(command, 'account --key-file ~/.etn-market-key')
}
