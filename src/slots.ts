import type { Cancel } from './abort.ts'
import { createLine } from './line.ts'

/** A slot that is held; giving it back twice counts once. */
export type FreeSlot = () => void

/** At most `size` holders at a time, first come first served; waiting is abortable. */
export interface Slots {
  /** `again`: for one that gave its slot back unserved, and goes before those who had none yet. */
  take(cancel: Cancel, again?: boolean): Promise<FreeSlot>
}

export function createSlots(size: number): Slots {
  const waiting = createLine<() => void>()
  let held = 0

  function hold(): FreeSlot {
    held++
    let freed = false
    return () => {
      if (freed) return
      freed = true
      held--
      waiting.first()?.()
    }
  }

  return {
    take(cancel, again = false) {
      if (!cancel.aborted && held < size && waiting.size === 0) return Promise.resolve(hold())
      return new Promise((resolve, reject) => {
        if (cancel.aborted) return reject(cancel.reason)
        const enter = () => {
          leave()
          resolve(hold())
        }
        const onAbort = () => {
          leave()
          reject(cancel.reason)
        }
        const leave = () => {
          waiting.leave(enter)
          cancel.removeEventListener('abort', onAbort)
        }
        waiting.join(enter, again)
        cancel.addEventListener('abort', onAbort)
      })
    },
  }
}
