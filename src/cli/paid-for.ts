import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { CommandError, EXIT } from './failure.ts'
import { reasonOf } from './files.ts'

/** Data that was paid for, as a file. */
export interface PaidFor {
  /** Its name in a folder for temporary files. */
  readonly name: string
  text(): string
}

/**
 * Saves what was paid for. Where `save` fails, it goes to a temporary file, else into the error.
 * @param what the option and the file that `save` writes, for the error
 * @throws CommandError naming both files
 */
export function savePaidFor(what: string, paidFor: PaidFor, save: () => void): void {
  try {
    save()
  } catch (error) {
    throw keepElsewhere(`${what}: ${reasonOf(error)}.`, paidFor)
  }
}

/** Keeps what was paid for where there is room, and makes the error that says where it is: `savedTo` is a file, `content` the text itself. */
export function keepElsewhere(problem: string, { name, text }: PaidFor): CommandError {
  const content = text()
  const savedTo = saveTemporarily(name, content)
  const message = `${problem} What was paid for is ${savedTo === undefined ? 'on standard output.' : `in ${savedTo}`}`
  const details = savedTo === undefined ? { content } : { savedTo }
  return new CommandError(message, 'not_written', EXIT.refused, undefined, details)
}

/** Saves a text in a new folder, which no other user can read. Returns its path, or undefined where there is no room either. */
export function saveTemporarily(name: string, content: string): string | undefined {
  try {
    const path = join(mkdtempSync(join(tmpdir(), 'etn-market-')), basename(name))
    writeFileSync(path, content)
    return path
  } catch {
    return undefined
  }
}
