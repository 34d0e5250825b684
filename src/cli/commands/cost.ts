import { creditsToUsd } from 'etn-market'
import { addParamOptions, estimateCall, type ParamOptions, readOperation, readParams } from '../call-params.ts'
import { addExample } from '../common-options.ts'
import { formatCredits } from '../output.ts'
import type { AddCommand } from '../program.ts'
import { type CommonOptions, inSession } from '../session.ts'

/** Adds `etn-market cost`, which sends nothing. With `--json` it prints `{ operation, min, max, requests, usd }`. */
export const addCommand: AddCommand = (program, host) => {
  const command = program
    .command('cost <operation>')
    .description('What a call costs, in credits and US dollars. Sends nothing.')
    .option('--json', 'print { operation, min, max, requests, usd }; usd is of max')
  addParamOptions(command).action(
    inSession<CommonOptions & ParamOptions, [string]>(host, async (session, options, name) => {
      const operation = readOperation(name)
      const { min, max, requests } = estimateCall(operation, await readParams(session, options))
      const cost = max === 0 ? 'free' : formatCredits(min, max)
      if (session.json) session.printJson({ operation, min, max, requests, usd: creditsToUsd(max) })
      else session.print(`${operation}: ${cost}, ${describeRequests(requests)}.`)
    }),
  )
  addExample(command, 'cost token.list --limit 20')
}

/** `1 request` or `3 requests`. */
export function describeRequests(requests: number): string {
  return `${requests} ${requests === 1 ? 'request' : 'requests'}`
}
