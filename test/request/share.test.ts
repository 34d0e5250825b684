import { describe, expect, test, vi } from 'vitest'
import { createFlights, type Flight } from '../../src/request/share.ts'
import { flush } from '../support/clock.ts'
import { watch } from '../support/setup.ts'

const PART = { key: () => 'what is asked' }

function deferred<T>() {
  let resolve: (value: T) => void = () => {}
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}

/** A run that ends as the test says, or with the reason when nobody waits any more. */
function pilot() {
  const end = deferred<string>()
  const run = vi.fn((flight: Flight<string>) => {
    flight.signal.addEventListener('abort', () => end.reject(flight.signal.reason))
    return end.promise
  })
  return { run, ...end }
}

describe('identical calls in flight', () => {
  test('are one run, paid by the first to be answered', async () => {
    const { run, resolve } = pilot()
    const flights = createFlights<string>()
    const flight = flights.start('key', PART, run)
    const first = watch(flight.join(new AbortController().signal, 1))
    const second = watch(flights.find('key', PART)?.join(new AbortController().signal, 1) ?? Promise.reject())
    resolve('answer')
    await flush()
    expect(run).toHaveBeenCalledTimes(1)
    expect(first.value).toEqual({ value: 'answer', pays: true })
    expect(second.value).toEqual({ value: 'answer', pays: false })
  })

  test('aborting one leaves the others alone; another one pays then', async () => {
    const { run, resolve } = pilot()
    const flight = createFlights<string>().start('key', PART, run)
    const caller = new AbortController()
    const first = watch(flight.join(caller.signal, 1))
    const second = watch(flight.join(new AbortController().signal, 1))
    caller.abort('mine')
    await flush()
    expect(first).toMatchObject({ state: 'rejected', error: 'mine' })
    expect(flight.signal.aborted).toBe(false)
    resolve('answer')
    await flush()
    expect(second.value).toEqual({ value: 'answer', pays: true })
  })

  test('aborting all of them aborts the run with the reason of the last', async () => {
    const { run } = pilot()
    const flight = createFlights<string>().start('key', PART, run)
    const callers = [new AbortController(), new AbortController()]
    const outcomes = callers.map(({ signal }) => watch(flight.join(signal, 1)))
    callers[1]?.abort('second')
    callers[0]?.abort('first')
    await flush()
    expect(flight.signal.reason).toBe('first')
    expect(outcomes.map(({ error }) => error)).toEqual(['first', 'second'])
  })

  test('nobody joins a run that asks something else under the same hash', () => {
    const flights = createFlights<string>()
    const flight = flights.start('key', PART, pilot().run)
    expect(flights.find('key', PART)).toBe(flight)
    const other = { key: () => 'another thing' }
    expect(flights.find('key', other)).toBeUndefined()
    // Whoever has found a run counts on finding it again.
    flights.start('key', other, pilot().run)
    expect(flights.find('key', PART)).toBe(flight)
    expect(flights.find('key', other)).toBeUndefined()
  })

  test('a run that was given up takes nobody on board any more', () => {
    const { run } = pilot()
    const flights = createFlights<string>()
    const caller = new AbortController()
    watch(flights.start('key', PART, run).join(caller.signal, 1))
    expect(flights.find('key', PART)).toBeDefined()
    caller.abort()
    expect(flights.find('key', PART)).toBeUndefined()
  })

  test('a given-up run that ends late does not end the next one of its key', async () => {
    const flights = createFlights<string>()
    const end = deferred<string>()
    const caller = new AbortController()
    watch(flights.start('key', PART, () => end.promise).join(caller.signal, 1))
    caller.abort()
    const next = flights.start('key', PART, pilot().run)
    watch(next.join(new AbortController().signal, 1))
    end.resolve('late')
    await flush()
    expect(flights.find('key', PART)).toBe(next)
  })

  test('an answered or failed run is no longer found', async () => {
    for (const how of ['resolve', 'reject'] as const) {
      const run = pilot()
      const flights = createFlights<string>()
      const outcome = watch(flights.start('key', PART, run.run).join(new AbortController().signal, 1))
      run[how]('end')
      await flush()
      expect(flights.find('key', PART)).toBeUndefined()
      expect(outcome.state).toBe(how === 'resolve' ? 'resolved' : 'rejected')
    }
  })

  test('its deadline is the latest of those who wait', () => {
    const flight = createFlights<string>().start('key', PART, pilot().run)
    watch(flight.join(new AbortController().signal, 5))
    watch(flight.join(new AbortController().signal, 9))
    watch(flight.join(new AbortController().signal, 7))
    expect(flight.deadlineAt()).toBe(9)
  })

  test('no listener is left on the signals of those who waited', async () => {
    const { run, resolve } = pilot()
    const flight = createFlights<string>().start('key', PART, run)
    const { signal } = new AbortController()
    const added = vi.spyOn(signal, 'addEventListener')
    const removed = vi.spyOn(signal, 'removeEventListener')
    watch(flight.join(signal, 1))
    resolve('answer')
    await flush()
    expect(removed).toHaveBeenCalledTimes(added.mock.calls.length)
  })
})
