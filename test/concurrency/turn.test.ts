import { expect, onTestFinished, test, vi } from 'vitest'

/** As this runtime has them, before a test replaces them. */
const { setTimeout: later } = globalThis

const GLOBALS: [runtime: string, globals: Record<string, unknown>][] = [
  ['a page', { setImmediate: undefined }],
  ['a Worker of an older date', { setImmediate: undefined, MessageChannel: undefined }],
  [
    'React Native, whose setImmediate is a microtask',
    { navigator: { product: 'ReactNative' }, setImmediate: queueMicrotask, MessageChannel: undefined },
  ],
]

test.each(GLOBALS)('a turn on %s lets timers run that are due', async (runtime, globals) => {
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value)
  onTestFinished(() => void vi.unstubAllGlobals())
  // The module keeps what it finds when it loads.
  const path = new URL(`../../src/concurrency/event-loop.ts?${encodeURIComponent(runtime)}`, import.meta.url).href
  const { nextTurn } = (await import(path)) as { nextTurn(): Promise<void> }
  const order: string[] = []
  later(() => order.push('timer'), 0)
  // Timers have milliseconds.
  const until = performance.now() + 5
  while (performance.now() < until);
  await nextTurn()
  expect(order).toEqual(['timer'])
})

test('a turn passes where timers were fake before the module was loaded', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const path = new URL('../../src/concurrency/event-loop.ts?fake-timers', import.meta.url).href
  const { nextTurn } = (await import(path)) as { nextTurn(): Promise<void> }
  const passed = vi.fn()
  void nextTurn().then(passed)
  await new Promise((resolve) => later(resolve, 50))
  expect(passed).toHaveBeenCalledOnce()
})
