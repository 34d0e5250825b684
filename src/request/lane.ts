import { type Cancel, Canceller } from '../abort.ts'
import type { Clock } from '../clock.ts'
import type { EtnMarketError } from '../errors/base.ts'
import { createGate, type Gate, type PassResult } from '../gate.ts'
import { createSlots, type FreeSlot } from '../slots.ts'
import type { CooldownScope } from './types.ts'

export interface LaneTicket {
  readonly heavy: boolean
  readonly key: string
  readonly signal: Cancel
  /** It was in the lane before, and failed in a way that is retried. */
  readonly again: boolean
  /** The error of a call that may not wait this long, else undefined. */
  refuse(scope: CooldownScope, waitMs: number): EtnMarketError | undefined
}

/** Leave to send one request; whichever is called first gives back everything it holds. */
export interface LanePass {
  close(result: 'succeeded' | 'failed'): void
  /** The service refused: those whom that concerns are held up. Returns for how long. */
  refuse(scope: CooldownScope, waitMs: number): number
}

/** Where calls wait: heavy ones for a slot, heavy ones while the service is busy, all of a key while it is refused. */
export interface Lane {
  /** A promise only when there is something to wait for. */
  enter(ticket: LaneTicket): LanePass | Promise<LanePass>
}

/** Keys that rotate must not be remembered for ever. */
const MOST_KEYS = 100

export function createLane(clock: Clock, heavyConcurrency: number): Lane {
  const slots = createSlots(heavyConcurrency)
  const heavyGate = createGate(clock)
  const keyGates = new Map<string, Gate>()
  const inQueue = new Map<LaneTicket, Canceller>()

  function keyGate(key: string): Gate {
    const known = keyGates.get(key)
    if (known !== undefined) return known
    const gate = createGate(clock)
    const [oldest] = keyGates.keys()
    if (keyGates.size >= MOST_KEYS && oldest !== undefined) keyGates.delete(oldest)
    keyGates.set(key, gate)
    return gate
  }

  /** Waits for a heavy slot; a refusal that comes meanwhile may make the wait too long. */
  async function takeSlot(ticket: LaneTicket): Promise<FreeSlot> {
    const queueing = new Canceller()
    const onAbort = () => queueing.abort(ticket.signal.reason)
    ticket.signal.throwIfAborted()
    ticket.signal.addEventListener('abort', onAbort)
    inQueue.set(ticket, queueing)
    try {
      return await slots.take(queueing, ticket.again)
    } finally {
      inQueue.delete(ticket)
      ticket.signal.removeEventListener('abort', onAbort)
    }
  }

  async function queue(ticket: LaneTicket): Promise<LanePass> {
    const { heavy, key, signal, again, refuse } = ticket
    const held: { scope?: CooldownScope; close(result: PassResult): void }[] = []
    const close = (result: 'succeeded' | 'failed', refused?: CooldownScope) => {
      for (const pass of held.splice(0).reverse())
        pass.close(pass.scope !== undefined && pass.scope === refused ? 'refused' : result)
    }
    const atKey = { signal, again, refuse: (waitMs: number) => refuse('key', waitMs) }
    try {
      if (heavy) {
        const atHeavy = { signal, again, refuse: (waitMs: number) => refuse('heavy', waitMs) }
        heavyGate.check(atHeavy)
        keyGates.get(key)?.check(atKey)
        held.push({ close: await takeSlot(ticket) })
        held.push({ scope: 'heavy', ...(await heavyGate.enter(atHeavy)) })
      }
      const gate = keyGates.get(key)
      if (gate !== undefined) held.push({ scope: 'key', ...(await gate.enter(atKey)) })
      signal.throwIfAborted()
      return {
        close,
        refuse(scope, waitMs) {
          close('failed', scope)
          return park(scope, key, waitMs)
        },
      }
    } catch (error) {
      close('failed')
      throw error
    }
  }

  function park(scope: CooldownScope, key: string, askedMs: number): number {
    const waitMs = (scope === 'heavy' ? heavyGate : keyGate(key)).park(askedMs)
    for (const [ticket, queueing] of inQueue) {
      const refusal = scope === 'heavy' || ticket.key === key ? ticket.refuse(scope, waitMs) : undefined
      if (refusal !== undefined) queueing.abort(refusal)
    }
    return waitMs
  }

  return {
    enter(ticket) {
      const { heavy, key } = ticket
      if (heavy || keyGates.has(key)) return queue(ticket)
      return { close: () => {}, refuse: (scope, waitMs) => park(scope, key, waitMs) }
    },
  }
}
