/** The slots of the heavy routes, shared by all keys. */
export interface HeavySlots {
  readonly size: number
  /** Takes a slot and returns a function that frees it; further calls of that function do nothing. `undefined` when none is free. */
  acquire(): (() => void) | undefined
}

export function createHeavySlots(size: number): HeavySlots {
  let held = 0
  return {
    size,
    acquire() {
      if (held >= size) return undefined
      held++
      let isFreed = false
      return () => {
        if (isFreed) return
        isFreed = true
        held--
      }
    },
  }
}
