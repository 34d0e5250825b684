import { closeSync, openSync, readFileSync } from 'node:fs'
import type { BudgetStore } from 'etn-market'
import { type FileLock, lockAppendedFile } from '../file-store/file-lock.ts'
import { parseJson } from '../utils/json-data.ts'
import { refusal } from './failure.ts'
import { appendLine, type NamedFile, requireWritable, tryAccess } from './files.ts'

const LINE_START = '{"key":'

/** An append-only file of a sweep. A line is `{ key, at, answer }`, or with `ledger` what all runs were charged: the last counts. */
export class Journal {
  /** Lines with answers that were paid for and that the file did not take. */
  readonly unwritten: string[] = []
  /** Why it could not be written; undefined if it always could. */
  failure: unknown
  readonly #answers: Map<string, string>
  readonly #file: number
  readonly #lock: FileLock
  #isClosed = false

  constructor(path: string, file: number, lock: FileLock) {
    const text = readFileSync(path, 'utf8')
    this.#answers = readAnswers(text)
    // Such as the list of addresses, given by mistake: nothing is appended to it. A crash may have left half of the first line.
    if (this.#answers.size === 0 && text.trim() !== '' && !text.startsWith(LINE_START))
      throw new Error('it is no journal')
    this.#file = file
    this.#lock = lock
  }

  readonly store: BudgetStore = {
    get: (key) => this.#answers.get(key),
    set: (key, value) => {
      const isAnswer = value.startsWith('{"data":')
      const kind = isAnswer ? 'answer' : 'ledger'
      const line = `${LINE_START}${JSON.stringify(key)},"at":"${new Date().toISOString()}","${kind}":${value}}`
      try {
        this.append(line)
      } catch (error) {
        if (isAnswer) this.unwritten.push(line)
        throw error
      }
      this.#answers.set(key, value)
    },
  }

  /** Appends a line that the file did not take before. @throws the error of the system */
  restore(line: string): void {
    this.append(line)
    for (const [key, value] of readAnswers(line)) this.#answers.set(key, value)
  }

  /** @throws the error of the system */
  append(line: string): void {
    // The number of a closed file may be another file's by now.
    if (this.#isClosed) throw new Error('The journal is closed.')
    try {
      if (!this.#lock.isHeld()) throw new Error('another sweep has taken it over')
      // What was paid for outlives the machine too.
      appendLine(this.#file, line, { isSynced: true })
    } catch (error) {
      this.failure = error
      throw error
    }
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    closeSync(this.#file)
    this.#lock.release()
  }
}

/** Opens a journal, or makes one. Lines that are torn or of another kind are skipped. */
export function openJournal(journal: NamedFile): Journal {
  requireWritable('journal', journal, 'appended')
  const what = `journal ${journal.name}`
  return tryAccess(what, () => {
    const file = openSync(journal.path, 'a+')
    let lock: FileLock | undefined
    try {
      // The file is locked, not its name: it may have several.
      lock = lockAppendedFile(journal.path).lock
      if (lock === undefined) throw refusal(`${what}: another sweep is using it. Nothing was sent.`, 'journal_in_use')
      return new Journal(journal.path, file, lock)
    } catch (error) {
      lock?.release()
      closeSync(file)
      throw error
    }
  })
}

function readAnswers(text: string): Map<string, string> {
  const answers = new Map<string, string>()
  for (const line of text.replace(/^\ufeff/, '').split('\n')) {
    // It may be torn, or of another kind.
    const { key, answer, ledger } = Object(parseJson(line))
    const value = answer ?? ledger
    if (typeof key === 'string' && value !== undefined) answers.set(key, JSON.stringify(value))
  }
  return answers
}
