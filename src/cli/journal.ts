import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import type { BudgetStore } from 'etn-market'
import { refusal, usageError } from './failure.ts'
import { reasonOf, requireWritable } from './files.ts'
import type { NamedFile } from './host.ts'
import { acquireLock } from './lock.ts'

/**
 * An append-only file with the answers of a sweep, one a line: `{ "key", "at", "answer" }`. What all its runs were charged has lines too, with
 * `ledger` instead of `answer`; the last one counts.
 */
export interface Journal {
  readonly store: BudgetStore
  close(): void
}

/**
 * Opens a journal, or makes one. Lines that are torn or of another kind are skipped.
 * @throws CommandError if it cannot be written, or if another sweep uses it
 */
export async function openJournal(journal: NamedFile): Promise<Journal> {
  requireWritable('journal', journal)
  const { name, path } = journal
  const lock = await acquireLock(path)
  if (lock === undefined)
    throw refusal(`journal ${name}: another sweep is using it. Nothing was sent.`, 'journal_in_use')
  try {
    const file = openSync(path, 'a')
    const text = readFileSync(path, 'utf8')
    // A crash may have left half a line.
    if (text !== '' && !text.endsWith('\n')) writeSync(file, '\n')
    const answers = readAnswers(text)
    const store: BudgetStore = {
      get: (key) => answers.get(key),
      set(key, value) {
        const name = value.startsWith('{"data":') ? 'answer' : 'ledger'
        writeSync(file, `{"key":${JSON.stringify(key)},"at":"${new Date().toISOString()}","${name}":${value}}\n`)
        // What was paid for outlives the machine too.
        fsyncSync(file)
        answers.set(key, value)
      },
    }
    return {
      store,
      close() {
        closeSync(file)
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw usageError(`journal ${name}: ${reasonOf(error)}.`, error)
  }
}

function readAnswers(text: string): Map<string, string> {
  return new Map(
    text.split('\n').flatMap((line): [string, string][] => {
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
