import { type Clock, startTimer } from './clock.ts'

/** Settles as `work` does, or after `ms` as `onTimeout` does; what `work` does later is ignored. No timer is left behind. */
export async function withTimeout<T, U>(
  work: Promise<T>,
  ms: number,
  clock: Clock,
  onTimeout: () => U,
): Promise<T | U> {
  let stopTimer = () => {}
  const timeout = new Promise<U>((resolve, reject) => {
    stopTimer = startTimer(clock, ms, () => {
      try {
        resolve(onTimeout())
      } catch (error) {
        reject(error)
      }
    })
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    stopTimer()
  }
}
