import { AsyncLocalStorage } from 'node:async_hooks'
import FakeTimers from '@sinonjs/fake-timers'
import { onTestFinished, vi } from 'vitest'

export interface InstalledTimers {
  advance(ms: number): Promise<unknown>
  runAll(): Promise<unknown>
  /** How many timers of this test have not run. */
  pending(): number
}

/** Replaces the timers by those of vitest until the test is over. */
export function useFakeTimers(options: Parameters<typeof vi.useFakeTimers>[0] = {}): InstalledTimers {
  fakeForThisTest(() => vi.useFakeTimers({ shouldClearNativeTimers: true, ...options }))
  onTestFinished(() => void vi.useRealTimers())
  return {
    advance: (ms) => vi.advanceTimersByTimeAsync(ms),
    runAll: () => vi.runAllTimersAsync(),
    pending: () => vi.getTimerCount(),
  }
}

/** Replaces the timers by those of sinon until the test is over. */
export function useSinonTimers(options: Parameters<typeof FakeTimers.install>[0]): InstalledTimers {
  const clock = fakeForThisTest(() => FakeTimers.install({ shouldClearNativeTimers: true, ...options }))
  onTestFinished(() => clock.uninstall())
  return {
    advance: (ms) => clock.tickAsync(ms),
    runAll: () => clock.runAllAsync(),
    pending: () => clock.countTimers(),
  }
}

/** The test that started what is running. */
const startedBy = new AsyncLocalStorage<object>()

/**
 * Installs timers for the running test, or the running case of a property, alone. What earlier ones have left running in this worker, and the
 * worker itself, keep the real timers: the fake ones would count theirs too.
 */
export function fakeForThisTest<T>(install: () => T): T {
  const { setTimeout, setInterval, setImmediate, queueMicrotask } = globalThis
  const { nextTick } = process
  const installed = install()
  const test = {}
  startedBy.enterWith(test)
  keepForOthers(globalThis, { setTimeout, setInterval, setImmediate, queueMicrotask }, test)
  keepForOthers(process, { nextTick }, test)
  return installed
}

type AnyFunction = (...args: unknown[]) => unknown

function keepForOthers(target: object, real: object, test: object): void {
  for (const [name, original] of Object.entries(real) as [string, AnyFunction][]) {
    const fake: AnyFunction = Reflect.get(target, name)
    if (fake === original) continue
    const choose: AnyFunction = (...args) => (startedBy.getStore() === test ? fake : original).apply(target, args)
    Reflect.set(target, name, Object.assign(choose, fake))
  }
}
