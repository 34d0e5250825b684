import { expect, test } from 'vitest'
import { createAbortListeners } from '../../src/concurrency/cancellation.ts'

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
