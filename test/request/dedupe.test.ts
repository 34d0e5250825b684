import { describe, expect, test, vi } from 'vitest'
import { startDeadline } from '../../src/concurrency/deadline.ts'
import { createInFlightRequests, type InFlightRequest, type Waiter } from '../../src/request/dedupe.ts'
import { createVirtualClock, flush } from '../support/clock.ts'
import { watch } from '../support/setup.ts'

const LATE = new Error('deadline exceeded')

function deferred<T>() {
  let resolve: (value: T) => void = () => {}
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}

/** A request that ends as the test says, or with the reason when no caller waits any more. */
function deferredRun() {
  const end = deferred<string>()
  const run = vi.fn((request: InFlightRequest<string>) => {
    request.signal.addEventListener('abort', () => end.reject(request.signal.reason))
    return end.promise
  })
  return { run, ...end }
}

/** A caller with a deadline on a clock of its own, unless it shares one. */
function waiter(controller = new AbortController(), deadlineMs = 60_000, clock = createVirtualClock()): Waiter {
  return {
    signal: controller.signal,
    finishes: false,
    startDeadline: (onExpire) => startDeadline(clock, deadlineMs, () => onExpire(LATE)),
  }
}

describe('equal requests in flight', () => {
  test('run once, and the first caller to be answered pays', async () => {
    const { run, resolve } = deferredRun()
    const inFlight = createInFlightRequests<string>()
    const first = watch(inFlight.start('key', run).join(waiter()))
    const second = watch(inFlight.get('key')?.join(waiter()) ?? Promise.reject())
    resolve('answer')
    await flush()
    expect(run).toHaveBeenCalledTimes(1)
    expect(first.value).toEqual({ value: 'answer', isPayer: true })
    expect(second.value).toEqual({ value: 'answer', isPayer: false })
  })

  test('start when the first caller joins', () => {
    const { run } = deferredRun()
    const request = createInFlightRequests<string>().start('key', run)
    expect(run).not.toHaveBeenCalled()
    watch(request.join(waiter()))
    watch(request.join(waiter()))
    expect(run).toHaveBeenCalledTimes(1)
  })

  test('go on when one caller aborts, and another caller pays', async () => {
    const { run, resolve } = deferredRun()
    const request = createInFlightRequests<string>().start('key', run)
    const caller = new AbortController()
    const first = watch(request.join(waiter(caller)))
    const second = watch(request.join(waiter()))
    caller.abort('mine')
    await flush()
    expect(first.value).toEqual({ error: 'mine', isPayer: false })
    expect(request.signal.aborted).toBe(false)
    resolve('answer')
    await flush()
    expect(second.value).toEqual({ value: 'answer', isPayer: true })
  })

  test('abort with the reason of the last caller when every caller aborts, and the last caller pays', async () => {
    const { run } = deferredRun()
    const request = createInFlightRequests<string>().start('key', run)
    const callers = [new AbortController(), new AbortController()]
    const outcomes = callers.map((caller) => watch(request.join(waiter(caller))))
    callers[1]?.abort('second')
    callers[0]?.abort('first')
    await flush()
    expect(request.signal.reason).toBe('first')
    expect(outcomes.map(({ value }) => value)).toEqual([
      { error: 'first', isPayer: true },
      { error: 'second', isPayer: false },
    ])
  })

  test('resolve for the last caller only when the aborted request has ended', async () => {
    const end = deferred<string>()
    const caller = new AbortController()
    const outcome = watch(
      createInFlightRequests<string>()
        .start('key', () => end.promise)
        .join(waiter(caller)),
    )
    caller.abort('mine')
    await flush()
    expect(outcome.state).toBe('pending')
    end.resolve('late')
    await flush()
    expect(outcome.value).toEqual({ error: 'mine', isPayer: true })
  })

  test('share a failure, and the first caller pays for it', async () => {
    const { run, reject } = deferredRun()
    const request = createInFlightRequests<string>().start('key', run)
    const outcomes = [watch(request.join(waiter())), watch(request.join(waiter()))]
    reject('failure')
    await flush()
    expect(outcomes.map(({ value }) => value)).toEqual([
      { error: 'failure', isPayer: true },
      { error: 'failure', isPayer: false },
    ])
  })

  test('are found by their key only', () => {
    const inFlight = createInFlightRequests<string>()
    const request = inFlight.start('key', deferredRun().run)
    const other = inFlight.start('other', deferredRun().run)
    expect(inFlight.get('key')).toBe(request)
    expect(inFlight.get('other')).toBe(other)
    expect(inFlight.get('unknown')).toBeUndefined()
    expect(inFlight.get('__proto__')).toBeUndefined()
  })

  test('admit no further caller once every caller has aborted', () => {
    const { run } = deferredRun()
    const inFlight = createInFlightRequests<string>()
    const caller = new AbortController()
    watch(inFlight.start('key', run).join(waiter(caller)))
    expect(inFlight.get('key')).toBeDefined()
    caller.abort()
    expect(inFlight.get('key')).toBeUndefined()
  })

  test('an aborted request that ends late does not remove the next request with its key', async () => {
    const inFlight = createInFlightRequests<string>()
    const end = deferred<string>()
    const caller = new AbortController()
    watch(inFlight.start('key', () => end.promise).join(waiter(caller)))
    caller.abort()
    const next = inFlight.start('key', deferredRun().run)
    watch(next.join(waiter()))
    end.resolve('late')
    await flush()
    expect(inFlight.get('key')).toBe(next)
  })

  test.each(['resolve', 'reject'] as const)('are no longer found when they have ended: %s', async (how) => {
    const run = deferredRun()
    const inFlight = createInFlightRequests<string>()
    const outcome = watch(inFlight.start('key', run.run).join(waiter()))
    run[how]('end')
    await flush()
    expect(inFlight.get('key')).toBeUndefined()
    expect(outcome.value).toEqual({ [how === 'resolve' ? 'value' : 'error']: 'end', isPayer: true })
  })

  test('leave no listener on the signals of their callers', async () => {
    const { run, resolve } = deferredRun()
    const request = createInFlightRequests<string>().start('key', run)
    const controller = new AbortController()
    const added = vi.spyOn(controller.signal, 'addEventListener')
    const removed = vi.spyOn(controller.signal, 'removeEventListener')
    watch(request.join(waiter(controller)))
    resolve('answer')
    await flush()
    expect(removed).toHaveBeenCalledTimes(added.mock.calls.length)
  })
})

describe('the deadline of a shared request', () => {
  test('is the latest of the deadlines of its callers', () => {
    const request = createInFlightRequests<string>().start('key', deferredRun().run)
    for (const deadlineMs of [5, 9, 7]) watch(request.join(waiter(new AbortController(), deadlineMs)))
    expect(request.deadline.remaining()).toBe(9)
  })

  test('ends the wait of each caller at its own time, and the request with the last', async () => {
    const clock = createVirtualClock()
    const { run } = deferredRun()
    const request = createInFlightRequests<string>().start('key', run)
    const outcomes = [5_000, 9_000].map((ms) => watch(request.join(waiter(new AbortController(), ms, clock))))
    await clock.advance(5_000)
    expect(outcomes.map(({ value }) => value)).toEqual([{ error: LATE, isPayer: false }, undefined])
    expect(request.signal.aborted).toBe(false)
    await clock.advance(4_000)
    expect(outcomes[1]?.value).toEqual({ error: LATE, isPayer: true })
    expect(request.signal.reason).toBe(LATE)
    expect(clock.pending).toBe(0)
  })

  test('stands still for every caller while the request waits for a slot, also for callers that join then', async () => {
    const clock = createVirtualClock()
    const request = createInFlightRequests<string>().start('key', deferredRun().run)
    const first = watch(request.join(waiter(new AbortController(), 5_000, clock)))
    await clock.advance(1_000)
    request.deadline.pause()
    const second = watch(request.join(waiter(new AbortController(), 3_000, clock)))
    await clock.advance(60_000)
    expect([first.state, second.state, request.deadline.remaining()]).toEqual(['pending', 'pending', 4_000])
    request.deadline.resume()
    await clock.advance(3_000)
    expect([first.state, second.state]).toEqual(['pending', 'resolved'])
    await clock.advance(1_000)
    expect(first.value).toEqual({ error: LATE, isPayer: true })
  })

  test('leaves no timer when the request has ended', async () => {
    const clock = createVirtualClock()
    const { run, resolve } = deferredRun()
    const outcome = watch(
      createInFlightRequests<string>()
        .start('key', run)
        .join(waiter(new AbortController(), 5_000, clock)),
    )
    expect(clock.pending).toBe(1)
    resolve('answer')
    await flush()
    expect(outcome.state).toBe('resolved')
    expect(clock.pending).toBe(0)
  })
})
