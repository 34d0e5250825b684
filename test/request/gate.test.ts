import { describe, expect, test } from 'vitest'
import { createGate, type Gate, type Pass } from '../../src/gate.ts'
import { createVirtualClock, flush } from '../support/clock.ts'
import { type Outcome, watch } from '../support/setup.ts'

const never = new AbortController().signal
const free = { signal: never, refuse: () => undefined }

function enter(gate: Gate): Outcome<Pass> {
  return watch(gate.enter(free))
}

const states = (outcomes: readonly Outcome<Pass>[]) => outcomes.map(({ state }) => state)
const inside = (outcomes: readonly Outcome<Pass>[]) => outcomes.filter(({ state }) => state === 'resolved').length

describe('a gate', () => {
  test('lets everybody in while it is not parked', async () => {
    const gate = createGate(createVirtualClock())
    const outcomes = [enter(gate), enter(gate), enter(gate)]
    await flush()
    expect(inside(outcomes)).toBe(3)
  })

  test('lets nobody in before the time that it is parked until', async () => {
    const clock = createVirtualClock()
    const gate = createGate(clock)
    gate.park(1_000)
    const outcome = enter(gate)
    await clock.advance(999)
    expect(outcome.state).toBe('pending')
    await clock.advance(1)
    expect(outcome.state).toBe('resolved')
  })

  test('lets one probe in first and the others when it has succeeded, in their order', async () => {
    const clock = createVirtualClock()
    const gate = createGate(clock)
    gate.park(1_000)
    const outcomes = [enter(gate), enter(gate), enter(gate)]
    await clock.advance(5_000)
    expect(states(outcomes)).toEqual(['resolved', 'pending', 'pending'])
    outcomes[0]?.value?.close('succeeded')
    await flush()
    expect(inside(outcomes)).toBe(3)
  })

  test('lets one in after another while the probes fail', async () => {
    const clock = createVirtualClock()
    const gate = createGate(clock)
    gate.park(1_000)
    const outcomes = [enter(gate), enter(gate), enter(gate)]
    await clock.advance(1_000)
    outcomes[0]?.value?.close('failed')
    await flush()
    expect(states(outcomes)).toEqual(['resolved', 'resolved', 'pending'])
  })

  test('counts a pass that is closed twice once', async () => {
    const clock = createVirtualClock()
    const gate = createGate(clock)
    gate.park(1_000)
    const outcomes = Array.from({ length: 4 }, () => enter(gate))
    await clock.advance(1_000)
    const [probe] = outcomes
    probe?.value?.close('failed')
    probe?.value?.close('failed')
    await flush()
    expect(inside(outcomes)).toBe(2)
  })

  test('a refused probe sends nobody after it before the new wait is over', async () => {
    const clock = createVirtualClock()
    const gate = createGate(clock)
    gate.park(1_000)
    const outcomes = [enter(gate), enter(gate)]
    await clock.advance(1_000)
    outcomes[0]?.value?.close('refused')
    gate.park(3_000)
    await clock.advance(2_999)
    expect(states(outcomes)).toEqual(['resolved', 'pending'])
    await clock.advance(1)
    expect(inside(outcomes)).toBe(2)
  })

  test('a shorter wait does not shorten a longer one', async () => {
    const clock = createVirtualClock()
    const gate = createGate(clock)
    gate.park(5_000)
    gate.park(1_000)
    const outcome = enter(gate)
    await clock.advance(4_999)
    expect(outcome.state).toBe('pending')
  })

  test('one that comes when the wait is over but its timer has not fired yet holds up nobody', async () => {
    const clock = createVirtualClock()
    const gate = createGate(clock)
    gate.park(1_000)
    const first = enter(gate)
    await flush()
    clock.jump(1_000)
    const second = enter(gate)
    await clock.advance(0)
    expect([first.state, second.state]).toContain('resolved')
    expect(first.state).toBe('resolved')
  })

  test('waiting is abortable, with the reason of the signal, and leaves no timer', async () => {
    const clock = createVirtualClock()
    const gate = createGate(clock)
    const caller = new AbortController()
    gate.park(1_000)
    const outcome = watch(gate.enter({ ...free, signal: caller.signal }))
    await flush()
    expect(clock.pending).toBe(1)
    caller.abort('enough')
    await flush()
    expect(outcome).toMatchObject({ state: 'rejected', error: 'enough' })
    expect(clock.pending).toBe(0)
  })

  test('one that gives up does not take the place of the next', async () => {
    const clock = createVirtualClock()
    const gate = createGate(clock)
    const caller = new AbortController()
    gate.park(1_000)
    watch(gate.enter({ ...free, signal: caller.signal }))
    const next = enter(gate)
    caller.abort()
    await clock.advance(1_000)
    expect(next.state).toBe('resolved')
  })

  test('a wait that a call does not allow is refused at the door, and when it is prolonged', async () => {
    const clock = createVirtualClock()
    const gate = createGate(clock)
    const tooLong = new Error('too long')
    const impatient = { signal: never, refuse: (ms: number) => (ms > 2_000 ? tooLong : undefined) }
    gate.park(1_000)
    const waiting = watch(gate.enter(impatient))
    await flush()
    expect(waiting.state).toBe('pending')
    gate.park(3_000)
    await flush()
    expect(waiting.error).toBe(tooLong)
    await expect((async () => gate.enter(impatient))()).rejects.toBe(tooLong)
    expect(clock.pending).toBe(0)
  })

  test('is open for all again after a probe has succeeded and nobody waits', async () => {
    const clock = createVirtualClock()
    const gate = createGate(clock)
    gate.park(1_000)
    const probe = enter(gate)
    await clock.advance(1_000)
    probe.value?.close('succeeded')
    const outcomes = Array.from({ length: 5 }, () => enter(gate))
    await flush()
    expect(inside(outcomes)).toBe(5)
  })
})
