import { CommanderError } from 'commander'
import { describeFailure, EXIT } from './failure.ts'
import { reasonOf, saveTemporarily } from './files.ts'
import type { HostProcess } from './host.ts'
import { createProgram } from './program.ts'
import { cleanLine, redactKeys, toJsonLine } from './text.ts'

/** Runs the program. Resolves with the exit code, or with undefined if a server keeps the process alive. */
export async function run(args: readonly string[], host: HostProcess): Promise<number | undefined> {
  const failures: NodeJS.ErrnoException[] = []
  host.stdout.on('error', (error) => failures.push(error))
  // Where nobody reads the messages, there is nobody to tell.
  host.stderr.on('error', () => {})
  const code = await runCommand(args, host)
  // A failed write is reported a little later.
  await new Promise<void>((resolve) => host.stdout.write('', () => resolve()))
  const [failure] = failures
  if (failure === undefined) return code
  if (failure.code === 'EPIPE') return EXIT.ok
  const unwritten = host.stdout.unwritten?.()
  // There was room again.
  if (unwritten === '') return code
  const savedTo = unwritten === undefined ? undefined : saveTemporarily('output', unwritten)
  const where = savedTo === undefined ? '' : ` What it did not take is in ${savedTo}`
  host.stderr.write(`error: standard output: ${reasonOf(failure)}.${where}\n`)
  return EXIT.refused
}

async function runCommand(args: readonly string[], host: HostProcess): Promise<number | undefined> {
  const program = await createProgram(args, host)
  if (args.length === 0) {
    program.outputHelp({ error: true })
    return EXIT.usage
  }
  try {
    await program.parseAsync(args, { from: 'user' })
    return host.exitCode
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok
    const { exitCode, message, ...details } = await describeFailure(error)
    const line = redactKeys(cleanLine(message))
    if (line !== '') {
      if (args.includes('--json')) host.stdout.write(`${toJsonLine({ error: { ...details, message: line } })}\n`)
      else {
        host.stderr.write(`error: ${line}\n`)
        // Data that was paid for, and that no file took.
        if (typeof details.content === 'string') host.stdout.write(details.content)
      }
    }
    return exitCode
  }
}
