/** The slots of the heavy routes, shared by all keys. */
export interface HeavySlots {
  /** Takes a slot and returns how to give it back, which counts once; `undefined` when none is free. */
  take(): (() => void) | undefined
}

export function createHeavySlots(size: number): HeavySlots {
  let held = 0
  return {
    take() {
      if (held >= size) return undefined
      held++
      let given = false
      return () => {
        if (given) return
        given = true
        held--
      }
    },
  }
}
