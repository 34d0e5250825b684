import { monotonicNow, startTimer, systemClock } from '../concurrency/clock.ts'
import { nextTurn } from '../concurrency/event-loop.ts'
import type { RunScript } from './script-runner.ts'
import { readError, readReply } from './tagged-script.ts'

/** Runs one script. It rejects when there is no answer in time, whatever the client does. */
export type Command = (script: string, keys: string[], args: readonly (string | number)[]) => Promise<string[]>

/** How long a command may take, milliseconds. */
export interface CommandLimits {
  /** How long Redis may be silent. */
  readonly timeoutMs: number
  /** Altogether: what was reserved is not held any longer. */
  readonly leaseMs: number
}

/**
 * A command that took too long may still be executed. One that waits behind others of a burst has time as long as those are answered.
 * @param nextId an id that no other command has, of any process
 */
export function createCommand(run: RunScript, { timeoutMs, leaseMs }: CommandLimits, nextId: () => string): Command {
  let answeredAt = Number.NEGATIVE_INFINITY
  const recordAnswer = () => {
    answeredAt = monotonicNow(systemClock)
  }
  return async (script, keys, args) => {
    const id = nextId()
    try {
      const work = run(script, keys, [...args.map(String), id])
      // Also where nobody waits for it any more: others wait in line behind it.
      work.then(recordAnswer, () => {})
      const reply = await withReplyTimeout(work, timeoutMs, { maxMs: leaseMs, answeredAt: () => answeredAt })
      return readReply(reply, id)
    } catch (error) {
      throw readError(error, id)
    }
  }
}

/**
 * Settles as `work` does, or rejects when nothing was answered for `timeoutMs`, at the latest after `maxMs`. An answer that is there already wins
 * against a timer that is late, because the program was busy: the turns of the event loop in which it is read come first.
 */
export function withReplyTimeout<T>(
  work: Promise<T>,
  timeoutMs: number,
  { maxMs = timeoutMs, answeredAt = () => Number.NEGATIVE_INFINITY } = {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    const startedAt = monotonicNow(systemClock)
    let isDone = false
    const check = async () => {
      await nextTurn()
      await nextTurn()
      const until = Math.min(Math.max(startedAt, answeredAt()) + timeoutMs, startedAt + maxMs)
      const leftMs = until - monotonicNow(systemClock)
      if (isDone) return
      if (leftMs > 0) stopTimer = startTimer(systemClock, leftMs, check)
      else reject(new Error(`Redis did not answer within ${timeoutMs} ms.`))
    }
    let stopTimer = startTimer(systemClock, timeoutMs, check)
    const end = () => {
      isDone = true
      stopTimer()
    }
    work.finally(end).then(resolve, reject)
  })
}
