import type { Command } from 'commander'
import { creditsToUsd, estimateCost, type OperationId } from 'etn-market'
import { addParamOptions, type ParamOptions, readOperation, readParams } from '../call-params.ts'
import { addExample } from '../common-options.ts'
import type { HostProcess } from '../host.ts'
import { formatCredits } from '../output.ts'
import { type CommonOptions, inSession } from '../session.ts'

/** Adds `etn-market cost`, which sends nothing. With `--json` it prints `{ operation, min, max, requests, usd }`. */
export function addCostCommand(program: Command, host: HostProcess): void {
  const command = program
    .command('cost <operation>')
    .description('What a call costs, in credits and US dollars. Sends nothing.')
    .option('--json', 'print { operation, min, max, requests, usd }; usd is of max')
  addParamOptions(command).action(
    inSession<CommonOptions & ParamOptions, [string]>(host, async (session, options, name) => {
      const operation = readOperation(name)
      const cost = estimateCall(operation, await readParams(session, options))
      if (session.json) session.printJson({ operation, ...cost, usd: creditsToUsd(cost.max) })
      else session.print(describeCost(operation, cost))
      return undefined
    }),
  )
  addExample(command, 'cost token.list --limit 20')
}

/** The cost of a call whose parameters are checked here. */
export function estimateCall(operation: OperationId, params: Record<string, unknown>): Cost {
  return (estimateCost as (operation: OperationId, params: unknown) => Cost)(operation, params)
}

interface Cost {
  readonly min: number
  readonly max: number
  readonly requests: number
}

/** A sentence such as `token.price: 50 credits ($0.00005), 1 request.` */
function describeCost(operation: OperationId, { min, max, requests }: Cost): string {
  const cost = max === 0 ? 'free' : formatCredits(min, max)
  return `${operation}: ${cost}, ${describeRequests(requests)}.`
}

/** `1 request` or `3 requests`. */
export function describeRequests(requests: number): string {
  return `${requests} ${requests === 1 ? 'request' : 'requests'}`
}
