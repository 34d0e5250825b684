import { closeSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import type { BudgetStore } from 'etn-market'
import { type FileLock, lockAppendedFile } from '../file-store/file-lock.ts'
import { refusal, usageError } from './failure.ts'
import { reasonOf, requireFile, statOpenFile } from './files.ts'
import type { NamedFile } from './host.ts'

/** How each line begins. */
const LINE_START = '{"key":'

/**
 * An append-only file with the answers of a sweep, one a line: `{ "key", "at", "answer" }`. What all its runs were charged has lines too, with
 * `ledger` instead of `answer`; the last one counts.
 */
export interface Journal {
  readonly store: BudgetStore
  /** Lines with answers that were paid for and that the file did not take. */
  readonly unwritten: readonly string[]
  /** Why it could not be written the last time; undefined if it could. */
  readonly failure: unknown
  close(): void
}

/**
 * Opens a journal, or makes one. Lines that are torn or of another kind are skipped.
 * @throws CommandError if it is no file, if it cannot be written, or if another sweep uses it
 */
export async function openJournal(journal: NamedFile): Promise<Journal> {
  requireFile('journal', journal)
  const { name, path } = journal
  const file = tryAccess(name, () => openSync(path, 'a'))
  try {
    // The file is locked, not its name: it may have several.
    const { lock } = tryAccess(name, () => lockAppendedFile(path))
    if (lock === undefined)
      throw refusal(`journal ${name}: another sweep is using it. Nothing was sent.`, 'journal_in_use')
    try {
      return tryAccess(name, () => readJournal(path, file, lock))
    } catch (error) {
      lock.release()
      throw error
    }
  } catch (error) {
    closeSync(file)
    throw error
  }
}

function readJournal(path: string, file: number, lock: FileLock): Journal {
  const text = readFileSync(path, 'utf8')
  const answers = readAnswers(text)
  // Such as the list of addresses, given by mistake: nothing is appended to it. A crash may have left half of the first line.
  if (answers.size === 0 && text.trim() !== '' && !text.startsWith(LINE_START)) throw new Error('it is no journal')
  const unwritten: string[] = []
  // A crash or a full disk may have left half a line.
  let isTorn = text !== '' && !text.endsWith('\n')
  let failure: unknown
  let isClosed = false

  function append(line: string): void {
    const { size } = statOpenFile(file)
    const start = isTorn ? '\n' : ''
    try {
      // Unlike `writeSync`, it goes on where the system takes a part only.
      writeFileSync(file, `${start}${line}\n`)
      // What was paid for outlives the machine too.
      fsyncSync(file)
      isTorn = false
    } catch (error) {
      isTorn = true
      // A line that is appended to half a line is lost with it.
      ftruncateSync(file, Number(size))
      throw error
    }
  }

  return {
    unwritten,
    get failure() {
      return failure
    },
    store: {
      get: (key) => answers.get(key),
      set(key, value) {
        const isAnswer = value.startsWith('{"data":')
        const kind = isAnswer ? 'answer' : 'ledger'
        const line = `${LINE_START}${JSON.stringify(key)},"at":"${new Date().toISOString()}","${kind}":${value}}`
        // The number of a closed file may be another file's by now.
        if (isClosed) throw new Error('The journal is closed.')
        try {
          append(line)
        } catch (error) {
          failure = error
          if (isAnswer) unwritten.push(line)
          throw error
        }
        answers.set(key, value)
      },
    },
    close() {
      isClosed = true
      closeSync(file)
      lock.release()
    },
  }
}

/** @throws CommandError naming the journal */
function tryAccess<T>(name: string, access: () => T): T {
  try {
    return access()
  } catch (error) {
    throw usageError(`journal ${name}: ${reasonOf(error)}.`, error)
  }
}

function readAnswers(text: string): Map<string, string> {
  return new Map(
    text
      .replace(/^\ufeff/, '')
      .split('\n')
      .flatMap((line): [string, string][] => {
        const { key, answer, ledger } = parseLine(line)
        const value = answer ?? ledger
        return typeof key === 'string' && value !== undefined ? [[key, JSON.stringify(value)]] : []
      }),
  )
}

function parseLine(line: string): { key?: unknown; answer?: unknown; ledger?: unknown } {
  try {
    return (JSON.parse(line) as object | null) ?? {}
  } catch {
    return {}
  }
}
