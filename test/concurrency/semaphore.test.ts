import { describe, expect, test, vi } from 'vitest'
import { LightAbortController } from '../../src/concurrency/cancellation.ts'
import { createSemaphore, type Release } from '../../src/concurrency/semaphore.ts'
import { flush } from '../support/clock.ts'
import { watch } from '../support/setup.ts'

const never = new LightAbortController()

describe('a semaphore', () => {
  test('gives its slots to callers in the order of arrival, and no more slots than it has', async () => {
    const semaphore = createSemaphore(2)
    const order: number[] = []
    const releases: Release[] = []
    for (let caller = 0; caller < 5; caller++) {
      semaphore.acquire(never).then((release) => {
        order.push(caller)
        releases.push(release)
      })
    }
    await flush()
    expect(order).toEqual([0, 1])
    releases[1]?.()
    await flush()
    expect(order).toEqual([0, 1, 2])
    releases[0]?.()
    releases[2]?.()
    await flush()
    expect(order).toEqual([0, 1, 2, 3, 4])
  })

  test('counts a slot that is released twice once', async () => {
    const semaphore = createSemaphore(1)
    const release = await semaphore.acquire(never)
    release()
    release()
    await semaphore.acquire(never)
    const third = watch(semaphore.acquire(never))
    await flush()
    expect(third.state).toBe('pending')
  })

  test('rejects an aborted caller at once with the reason, and gives the slot to the next', async () => {
    const semaphore = createSemaphore(1)
    const release = await semaphore.acquire(never)
    const caller = new AbortController()
    const second = watch(semaphore.acquire(caller.signal))
    const third = watch(semaphore.acquire(never))
    caller.abort('enough')
    await flush()
    expect(second).toMatchObject({ state: 'rejected', error: 'enough' })
    release()
    await flush()
    expect(third.state).toBe('resolved')
  })

  test('rejects a caller whose signal has already aborted, and takes no slot', async () => {
    const semaphore = createSemaphore(1)
    await expect(semaphore.acquire(AbortSignal.abort('before'))).rejects.toBe('before')
    const next = watch(semaphore.acquire(never))
    await flush()
    expect(next.state).toBe('resolved')
  })

  test('gives a freed slot to a waiting caller, not to one that arrives later', async () => {
    const semaphore = createSemaphore(1)
    const release = await semaphore.acquire(never)
    const waiting = watch(semaphore.acquire(never))
    release()
    const later = watch(semaphore.acquire(never))
    await flush()
    expect([waiting.state, later.state]).toEqual(['resolved', 'pending'])
  })

  test('tryAcquire returns a slot only when one is free and no caller waits', async () => {
    const semaphore = createSemaphore(1)
    const release = semaphore.tryAcquire()
    expect(release).toBeDefined()
    expect(semaphore.tryAcquire()).toBeUndefined()
    const waiting = watch(semaphore.acquire(never))
    release?.()
    expect(semaphore.tryAcquire()).toBeUndefined()
    await flush()
    waiting.value?.()
    expect(semaphore.tryAcquire()).toBeDefined()
  })

  test('gives a freed slot to the caller that arrived first, also when it comes back later', async () => {
    const semaphore = createSemaphore(1)
    const release = await semaphore.acquire(never)
    const first = watch(semaphore.acquire(never))
    const returning = watch(semaphore.acquireWith(never, 0, () => true))
    release()
    await flush()
    expect([first.state, returning.state]).toEqual(['pending', 'resolved'])
  })

  test('gives a freed slot to the next caller when the first cannot take what else it needs', async () => {
    const semaphore = createSemaphore(1)
    const release = await semaphore.acquire(never)
    const unable = watch(semaphore.acquireWith(never, 0, () => false))
    const next = watch(semaphore.acquire(never))
    release()
    await flush()
    expect(unable).toMatchObject({ state: 'resolved', value: undefined })
    expect(next.value).toBeTypeOf('function')
  })

  test('leaves no listener on the signal of a caller that had to wait', async () => {
    const semaphore = createSemaphore(1)
    const release = await semaphore.acquire(never)
    const { signal } = new AbortController()
    const added = vi.spyOn(signal, 'addEventListener')
    const removed = vi.spyOn(signal, 'removeEventListener')
    const waiting = watch(semaphore.acquire(signal))
    release()
    await flush()
    expect(waiting.state).toBe('resolved')
    expect([added.mock.calls.length, removed.mock.calls.length]).toEqual([1, 1])
  })
})
