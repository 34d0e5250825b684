import type { HttpAttempt, Transport } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { LightAbortController } from '../../src/concurrency/cancellation.ts'
import { type AttemptOptions, attempt } from '../../src/transport/attempt.ts'
import { createVirtualClock } from '../support/clock.ts'
import { REQUEST_CONTEXT } from '../support/request-context.ts'
import { watch } from '../support/setup.ts'

const HEAD = { status: 200, headers: new Headers({ 'x-credits-cost': '50' }) }

/** An attempt whose transport does what the test says, and by default never ends and ignores its signal. */
function start(
  send: (attempt: HttpAttempt) => unknown = () => new Promise(() => {}),
  caller = new LightAbortController(),
  look: Pick<AttemptOptions, 'mayBeSent' | 'prepareLook'> = {},
) {
  const clock = createVirtualClock()
  const seen: HttpAttempt[] = []
  const transport = {
    send(sent: HttpAttempt) {
      seen.push(sent)
      return send(sent)
    },
  } as Transport
  const listeners = new Set<() => void>()
  const signal = {
    get aborted() {
      return caller.aborted
    },
    get reason() {
      return caller.reason
    },
    throwIfAborted: () => caller.throwIfAborted(),
    addEventListener(type: 'abort', listener: () => void) {
      listeners.add(listener)
      caller.addEventListener(type, listener)
    },
    removeEventListener(type: 'abort', listener: () => void) {
      listeners.delete(listener)
      caller.removeEventListener(type, listener)
    },
  }
  const headers = { authorization: 'Bearer x' }
  const ended = watch(
    attempt({
      transport,
      url: 'http://a.test/x',
      headers,
      context: REQUEST_CONTEXT,
      timeoutMs: 1_000,
      signal,
      clock,
      ...look,
    }),
  )
  return { ended, clock, caller, seen, listeners }
}

describe('an attempt', () => {
  test('resolves to the outcome of the transport, and leaves no timer and no listener', async () => {
    const outcome = { response: { ...HEAD, text: '{}' } }
    const { ended, clock, seen, listeners } = start(async () => outcome)
    await clock.advance(0)
    expect(ended.value).toBe(outcome)
    expect(seen).toMatchObject([{ url: 'http://a.test/x', headers: { authorization: 'Bearer x' } }])
    expect([clock.pending, listeners.size]).toEqual([0, 0])
  })

  test.each([
    ['before the request is sent', () => {}, { mayHaveArrived: false, response: undefined }],
    ['after the request is sent', ({ onSent }: HttpAttempt) => onSent(), { mayHaveArrived: true, response: undefined }],
    [
      'after the headers have arrived',
      ({ onSent, onHeaders }: HttpAttempt) => {
        onSent()
        onHeaders(HEAD)
      },
      { mayHaveArrived: true, response: { ...HEAD, text: undefined } },
    ],
  ])('ends at its timeout or abort %s, though the transport ignores its signal', async (_, progress, expected) => {
    const send = (sent: HttpAttempt) => {
      progress(sent)
      return new Promise(() => {})
    }
    const late = start(send)
    await late.clock.advance(999)
    expect(late.ended.state).toBe('pending')
    await late.clock.advance(1)
    expect(late.ended.value?.failure).toMatchObject({ kind: 'timeout', ...expected, cause: { name: 'TimeoutError' } })
    expect(late.seen[0]?.signal).toMatchObject({ aborted: true, reason: late.ended.value?.failure?.cause })

    const aborted = start(send)
    aborted.caller.abort('enough')
    await Promise.resolve()
    expect(aborted.ended.value?.failure).toMatchObject({ kind: 'aborted', ...expected, cause: 'enough' })
    expect(aborted.seen[0]?.signal).toMatchObject({ aborted: true, reason: 'enough' })
    await aborted.clock.advance(0)
    expect([aborted.clock.pending, aborted.listeners.size, late.listeners.size]).toEqual([0, 0, 0])
  })

  test('sends nothing when the signal is already aborted', async () => {
    const caller = new LightAbortController()
    caller.abort('before')
    const { ended, clock, seen } = start(undefined, caller)
    await clock.advance(0)
    expect(ended.value?.failure).toMatchObject({ kind: 'aborted', mayHaveArrived: false, cause: 'before' })
    expect([seen.length, clock.pending]).toEqual([0, 0])
  })

  test.each<[string, (attempt: HttpAttempt) => unknown]>([
    [
      'throws',
      () => {
        throw 'broken'
      },
    ],
    ['rejects', () => Promise.reject('broken')],
  ])('resolves to a failure when the transport %s', async (_, send) => {
    const { ended, clock, listeners } = start(send)
    await clock.advance(0)
    expect(ended.value?.failure).toMatchObject({ kind: 'network', mayHaveArrived: false, cause: 'broken' })
    expect([clock.pending, listeners.size]).toEqual([0, 0])
  })

  test('that has ended ignores what the transport reports, and lets it send nothing', async () => {
    let finish: (outcome: unknown) => void = () => {}
    const { ended, clock, caller, seen } = start(
      () =>
        new Promise((resolve) => {
          finish = resolve
        }),
    )
    caller.abort('enough')
    expect(() => seen[0]?.onSent()).toThrow('has ended')
    await expect(seen[0]?.lastLook?.()).rejects.toThrow('has ended')
    seen[0]?.onHeaders(HEAD)
    finish({ response: { ...HEAD, text: '{}' } })
    await clock.advance(5_000)
    expect(ended.value?.failure).toMatchObject({ kind: 'aborted', mayHaveArrived: false })
  })

  test.each<[string, (attempt: HttpAttempt) => unknown]>([
    [
      'lets the error pass',
      async ({ onSent }) => {
        onSent()
        return { response: { ...HEAD, text: '{}' } }
      },
    ],
    [
      'catches it, and reports a failure',
      async ({ onSent }) => {
        try {
          onSent()
        } catch (cause) {
          return { failure: { kind: 'network', mayHaveArrived: false, cause } }
        }
        throw new Error('It was allowed')
      },
    ],
    [
      'catches it, and never ends',
      ({ onSent }) => {
        expect(onSent).toThrow()
        return new Promise(() => {})
      },
    ],
  ])('whose last look fails ends, when the transport %s', async (_, send) => {
    const later = start(send, undefined, { mayBeSent: () => false })
    const refused = start(send, undefined, {
      mayBeSent() {
        throw new Error('over the limit')
      },
    })
    await later.clock.advance(0)
    expect(later.ended).toEqual({ state: 'resolved', value: undefined })
    expect(refused.ended).toMatchObject({ state: 'rejected', error: { message: 'over the limit' } })
    for (const { seen, clock, listeners } of [later, refused]) {
      await clock.advance(0)
      expect([seen[0]?.signal.aborted, clock.pending, listeners.size]).toEqual([true, 0, 0])
    }
  })

  test('rejects with what the preparation of the last look rejects with, also where the transport does not wait', async () => {
    const prepareLook = () => Promise.reject(new Error('the store failed'))
    const { ended, clock } = start(
      async ({ lastLook }) => {
        void lastLook?.()
        return new Promise(() => {})
      },
      undefined,
      { prepareLook },
    )
    await clock.advance(0)
    expect(ended).toMatchObject({ state: 'rejected', error: { message: 'the store failed' } })
    expect(clock.pending).toBe(0)
  })
})
