import type { Cancel } from '../abort.ts'
import type { Clock } from '../clock.ts'
import type { EtnMarketError } from '../errors/base.ts'
import { createGate, type Gate, type PassResult } from '../gate.ts'
import { createSlots } from '../slots.ts'
import type { CooldownScope } from './types.ts'

export interface LaneTicket {
  readonly heavy: boolean
  readonly key: string
  readonly signal: Cancel
  /** The error of a call that may not wait this long, else undefined. */
  refuse(scope: CooldownScope, waitMs: number): EtnMarketError | undefined
}

/** Leave to send one request; everything it holds is given back by `close`. */
export interface LanePass {
  close(result: PassResult): void
}

/** Where calls wait: heavy ones for a slot, heavy ones while the service is busy, all of a key while it is refused. */
export interface Lane {
  /** A promise only when there is something to wait for. */
  enter(ticket: LaneTicket): LanePass | Promise<LanePass>
  park(scope: CooldownScope, key: string, until: number): void
}

/** What a light call gets that nothing holds up. */
const OPEN: LanePass = { close: () => {} }

/** Keys that rotate must not be remembered for ever. */
const MOST_KEYS = 100

export function createLane(clock: Clock, heavyConcurrency: number): Lane {
  const slots = createSlots(heavyConcurrency)
  const heavyGate = createGate(clock)
  const keyGates = new Map<string, Gate>()

  function keyGate(key: string): Gate {
    const known = keyGates.get(key)
    if (known !== undefined) return known
    const gate = createGate(clock)
    const [oldest] = keyGates.keys()
    if (keyGates.size >= MOST_KEYS && oldest !== undefined) keyGates.delete(oldest)
    keyGates.set(key, gate)
    return gate
  }

  async function queue({ heavy, key, signal, refuse }: LaneTicket): Promise<LanePass> {
    const held: LanePass[] = []
    const close = (result: PassResult) => {
      for (const pass of held.splice(0).reverse()) pass.close(result)
    }
    const atKey = { signal, refuse: (waitMs: number) => refuse('key', waitMs) }
    try {
      if (heavy) {
        const atHeavy = { signal, refuse: (waitMs: number) => refuse('heavy', waitMs) }
        heavyGate.check(atHeavy)
        keyGates.get(key)?.check(atKey)
        const free = await slots.take(signal)
        held.push({ close: free })
        held.push(await heavyGate.enter(atHeavy))
      }
      const gate = keyGates.get(key)
      if (gate !== undefined) held.push(await gate.enter(atKey))
      signal.throwIfAborted()
      return { close }
    } catch (error) {
      close('failed')
      throw error
    }
  }

  return {
    enter: (ticket) => (ticket.heavy || keyGates.has(ticket.key) ? queue(ticket) : OPEN),
    park(scope, key, until) {
      const gate = scope === 'heavy' ? heavyGate : keyGate(key)
      gate.park(until)
    },
  }
}
