import type { Clock } from '../clock.ts'
import type { EtnMarketError } from '../errors/base.ts'
import { createGate, type Gate, type PassResult } from '../gate.ts'
import { createSlots } from '../slots.ts'
import type { CooldownScope } from './types.ts'

export interface LaneTicket {
  readonly heavy: boolean
  readonly key: string
  readonly signal: AbortSignal
  /** The error of a call that may not wait this long, else undefined. */
  refuse(scope: CooldownScope, waitMs: number): EtnMarketError | undefined
}

/** Leave to send one request; everything it holds is given back by `close`. */
export interface LanePass {
  close(result: PassResult): void
}

/** Where calls wait: heavy ones for a slot, heavy ones while the service is busy, all of a key while it is refused. */
export interface Lane {
  enter(ticket: LaneTicket): Promise<LanePass>
  park(scope: CooldownScope, key: string, until: number): void
}

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

  return {
    async enter({ heavy, key, signal, refuse }) {
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
    },
    park(scope, key, until) {
      const gate = scope === 'heavy' ? heavyGate : keyGate(key)
      gate.park(until)
    },
  }
}
