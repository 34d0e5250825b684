import type { Cancel } from './abort.ts'

/** A slot that is held; giving it back twice counts once. */
export type FreeSlot = () => void

/** At most `size` holders at a time, first come first served; waiting is abortable. */
export interface Slots {
  take(cancel: Cancel): Promise<FreeSlot>
}

export function createSlots(size: number): Slots {
  const waiting = new Set<() => void>()
  let held = 0

  function hold(): FreeSlot {
    held++
    let freed = false
    return () => {
      if (freed) return
      freed = true
      held--
      const [next] = waiting
      next?.()
    }
  }

  return {
    take(cancel) {
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
          waiting.delete(enter)
          cancel.removeEventListener('abort', onAbort)
        }
        waiting.add(enter)
        cancel.addEventListener('abort', onAbort)
      })
    },
  }
}
