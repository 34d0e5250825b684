import { expect, test, vi } from 'vitest'
import { createAbortListeners } from '../../src/concurrency/cancellation.ts'

test('calls every callback of a signal with one listener, and removes the listener with the last callback', () => {
  const listen = createAbortListeners()
  const controller = new AbortController()
  const added = vi.spyOn(controller.signal, 'addEventListener')
  const removed = vi.spyOn(controller.signal, 'removeEventListener')
  const calls: number[] = []
  const stops = [1, 2, 3].map((number) => listen(controller.signal, () => void calls.push(number)))
  stops[1]?.()
  controller.abort()
  expect(calls).toEqual([1, 3])
  for (const stop of stops) stop()
  expect([added.mock.calls.length, removed.mock.calls.length]).toEqual([1, 1])
})

test('calls a callback that another callback removes during the abort', () => {
  const listen = createAbortListeners()
  const controller = new AbortController()
  const calls: string[] = []
  listen(controller.signal, () => {
    calls.push('first')
    stop()
  })
  const stop = listen(controller.signal, () => void calls.push('second'))
  controller.abort()
  expect(calls).toEqual(['first', 'second'])
})

test('listens again after its last callback was removed, and ignores a missing signal', () => {
  const listen = createAbortListeners()
  const controller = new AbortController()
  const callback = vi.fn()
  listen(controller.signal, () => {})()
  listen(controller.signal, callback)
  listen(undefined, callback)()
  controller.abort()
  expect(callback).toHaveBeenCalledOnce()
})
