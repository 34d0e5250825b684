import { type Clock, startTimer } from './clock.ts'

/** Settles as `work` does, or after `ms` as `onTimeout` does; what `work` does later is ignored. No timer is left behind. */
export function withTimeout<T, U>(work: Promise<T>, ms: number, clock: Clock, onTimeout: () => U): Promise<T | U> {
  let stopTimer = () => {}
  const timeout = new Promise<void>((resolve) => {
    stopTimer = startTimer(clock, ms, resolve)
  })
  return Promise.race([work, timeout.then(onTimeout)]).finally(() => stopTimer())
}
