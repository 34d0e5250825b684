import type { Command } from 'commander'
import { operations, PartialBatchError } from 'etn-market'
import { addParamOptions, type ParamOptions, readOperation, readParams } from '../call-params.ts'
import { addExample, addServiceOptions } from '../common-options.ts'
import { formatData } from '../format-data.ts'
import type { HostProcess } from '../host.ts'
import { methodOf } from '../operation-method.ts'
import { type CommonOptions, inSession } from '../session.ts'
import { authorizeSpending } from '../spending.ts'
import { widthOf } from '../table.ts'
import { describeRequests, estimateCall } from './cost.ts'

/** Adds `etn-market call`. With `--json` it prints the service's data alone. */
export function addCallCommand(program: Command, host: HostProcess): void {
  const command = program.command('call <operation>').description('Call an operation and print its data.')
  addServiceOptions(addParamOptions(command)).action(
    inSession<CommonOptions & ParamOptions, [string]>(host, async (session, options, name) => {
      const operation = readOperation(name)
      const params = await readParams(session, options)
      const { requests, ...cost } = estimateCall(operation, params)
      const client = await session.client({ keyless: 'keyless' in operations[operation] })
      await authorizeSpending(session, options, { what: operation, ...cost, note: describeRequests(requests) })
      const data = await methodOf(client, operation)(params, { signal: session.signal }).catch((error: unknown) => {
        // The prices of a batch that arrived are paid for. With `--json` they are in the error.
        if (error instanceof PartialBatchError && !session.json)
          session.print(formatData(error.prices, session.colors, widthOf(host)))
        throw error
      })
      if (session.json) session.printJson(data)
      else session.print(formatData(data, session.colors, widthOf(host)))
      return undefined
    }),
  )
  addExample(command, 'call token.candles --address 0x043f…a1 --bucket 1h --limit 5', 'call prices.batch --addresses -')
}
