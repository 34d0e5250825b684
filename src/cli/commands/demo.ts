import type { Command } from 'commander'
import { addExample } from '../common-options.ts'
import { playDemo } from '../demo.ts'
import type { HostProcess } from '../host.ts'
import { type CommonOptions, inSession } from '../session.ts'

/** On a terminal somebody reads along. */
const READING_MS = 900
const PIPE_MS = 20

/** Adds `etn-market demo`: a watch, an alert, a batch of which half fails, and the ledger, against the fake service in this process. */
export function addDemoCommand(program: Command, host: HostProcess): void {
  const command = program
    .command('demo')
    .description('What this is, in ten seconds. Needs no key and no network, and costs nothing.')
    .option('--json', 'print errors as JSON')
  command.action(
    inSession<CommonOptions, []>(host, async (session) => {
      await playDemo(session, host.stdout.isTTY ? READING_MS : PIPE_MS)
      return undefined
    }),
  )
  addExample(command, 'demo')
}
