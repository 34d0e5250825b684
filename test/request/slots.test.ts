import { describe, expect, test } from 'vitest'
import { createSlots, type FreeSlot } from '../../src/slots.ts'
import { flush } from '../support/clock.ts'
import { watch } from '../support/setup.ts'

const never = new AbortController().signal

describe('slots', () => {
  test('are given out first come first served, and no more than there are', async () => {
    const slots = createSlots(2)
    const order: number[] = []
    const freers: FreeSlot[] = []
    for (let caller = 0; caller < 5; caller++) {
      slots.take(never).then((free) => {
        order.push(caller)
        freers.push(free)
      })
    }
    await flush()
    expect(order).toEqual([0, 1])
    freers[1]?.()
    await flush()
    expect(order).toEqual([0, 1, 2])
    freers[0]?.()
    freers[2]?.()
    await flush()
    expect(order).toEqual([0, 1, 2, 3, 4])
  })

  test('a slot given back twice counts once', async () => {
    const slots = createSlots(1)
    const free = await slots.take(never)
    free()
    free()
    await slots.take(never)
    const third = watch(slots.take(never))
    await flush()
    expect(third.state).toBe('pending')
  })

  test('one who gives up rejects with the reason at once and passes its turn on', async () => {
    const slots = createSlots(1)
    const free = await slots.take(never)
    const caller = new AbortController()
    const second = watch(slots.take(caller.signal))
    const third = watch(slots.take(never))
    caller.abort('enough')
    await flush()
    expect(second).toMatchObject({ state: 'rejected', error: 'enough' })
    free()
    await flush()
    expect(third.state).toBe('resolved')
  })

  test('one whose signal was aborted before is not let in', async () => {
    const slots = createSlots(1)
    await expect(slots.take(AbortSignal.abort('before'))).rejects.toBe('before')
    const next = watch(slots.take(never))
    await flush()
    expect(next.state).toBe('resolved')
  })

  test('a newcomer does not overtake those who wait', async () => {
    const slots = createSlots(1)
    const free = await slots.take(never)
    const waiting = watch(slots.take(never))
    free()
    const newcomer = watch(slots.take(never))
    await flush()
    expect([waiting.state, newcomer.state]).toEqual(['resolved', 'pending'])
  })
})
