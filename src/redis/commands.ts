import { startTimer, systemClock } from '../concurrency/clock.ts'
import { nextTurn } from '../concurrency/event-loop.ts'
import type { RunScript } from './script-runner.ts'
import { readError, readReply } from './tagged-script.ts'

/** Runs one script. It rejects when there is no answer in time, whatever the client does. */
export type Command = (script: string, keys: string[], args: readonly (string | number)[]) => Promise<string[]>

/**
 * A command that took too long may still be executed.
 * @param nextId an id that no other command has, of any process
 */
export function createCommand(run: RunScript, timeoutMs: number, nextId: () => string): Command {
  return async (script, keys, args) => {
    const id = nextId()
    try {
      return readReply(await withTimeout(run(script, keys, [...args.map(String), id]), timeoutMs), id)
    } catch (error) {
      throw readError(error, id)
    }
  }
}

/**
 * Settles as `work` does, or rejects after `timeoutMs`. An answer that is there already wins against a timer that is late, because the program was busy:
 * the turns of the event loop in which it is read come first.
 */
export function withTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopTimer = startTimer(systemClock, timeoutMs, async () => {
      await nextTurn()
      await nextTurn()
      reject(new Error(`Redis did not answer within ${timeoutMs} ms.`))
    })
    work.finally(stopTimer).then(resolve, reject)
  })
}
