import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { CommandError, EXIT } from './failure.ts'
import { reasonOf } from './files.ts'
import type { Session } from './session.ts'

/** Data that was paid for, as a file. */
export interface PaidFor {
  /** Its name in a folder for temporary files. */
  readonly name: string
  text(): string
}

/**
 * Saves what was paid for. Where `save` fails, it goes to a temporary file, else to standard output; with `--json` it is in the error.
 * @param what the option and the file that `save` writes, for the error
 * @throws CommandError naming both files
 */
export function savePaidFor(session: Session, what: string, paidFor: PaidFor, save: () => void): void {
  try {
    save()
  } catch (error) {
    throw keepElsewhere(session, `${what}: ${reasonOf(error)}.`, paidFor)
  }
}

/** Keeps what was paid for where there is room, and makes the error that says where it is. */
export function keepElsewhere(session: Session, problem: string, { name, text }: PaidFor): CommandError {
  const content = text()
  const savedTo = saveTemporarily(name, content)
  if (savedTo !== undefined)
    return new CommandError(`${problem} What was paid for is in ${savedTo}`, 'not_written', EXIT.refused, undefined, {
      savedTo,
    })
  if (!session.json) session.print(content.trimEnd())
  const where = session.json ? 'in this error' : 'on standard output'
  return new CommandError(`${problem} What was paid for is ${where}.`, 'not_written', EXIT.refused, undefined, {
    content,
  })
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
