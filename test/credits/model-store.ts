import type { BudgetStore } from 'etn-market'
import type { VirtualClock } from '../support/clock.ts'

/** What happens to one read or write of a store. */
export type StoreFault =
  | 'none'
  | 'slow'
  | 'late'
  | 'false'
  | 'fails'
  | 'fails, but writes'
  | 'never'
  | 'never, but writes'

const SLOW_MS = 800
/** Beyond the time limit of a budget. */
const LATE_MS = 7_000

/** A store that outlives the processes of a case. Its faults come in turn, until `recover` is called. */
export function createModelStore(clock: VirtualClock, wallOffset: () => number, faults: readonly StoreFault[]) {
  let kept: { text: string; number: number; wallOffset: number } | undefined
  let calls = 0
  let isWell = false
  let writes = 0
  /** The newest write that the store has executed. */
  let newest = 0
  const next = (): StoreFault => (isWell ? 'none' : (faults[calls++ % faults.length] ?? 'none'))
  const never = () => new Promise<never>(() => {})
  const later = async (fault: StoreFault) => clock.sleep(fault === 'slow' ? SLOW_MS : LATE_MS)

  return {
    recover() {
      isWell = true
    },
    get isEmpty() {
      return kept === undefined
    },
    /** What the wall clock was ahead by when the entry was written. */
    get wallOffset() {
      return kept?.wallOffset ?? wallOffset()
    },
    /** A late write has replaced a newer one. */
    get isStale() {
      return kept !== undefined && kept.number < newest
    },
    /** The store as one process sees it: what it writes after its end is lost. */
    connect(): BudgetStore & { isAlive: boolean; readonly hasWritten: boolean } {
      const connected = {
        isAlive: true,
        hasWritten: false,
        get() {
          const fault = next()
          if (fault === 'none' || fault === 'false') return kept?.text
          if (fault === 'slow' || fault === 'late') return later(fault).then(() => kept?.text)
          return fault.startsWith('never') ? never() : Promise.reject(new Error('The store failed.'))
        },
        set(_key: string, text: string) {
          const fault = next()
          const write = { text, number: ++writes, wallOffset: wallOffset() }
          const land = () => {
            if (!connected.isAlive) return
            kept = write
            connected.hasWritten = true
            newest = Math.max(newest, write.number)
          }
          if (fault === 'slow' || fault === 'late') return later(fault).then(land)
          if (fault === 'none' || fault.endsWith('writes')) land()
          if (fault === 'none' || fault === 'false') return fault === 'none'
          return fault.startsWith('never') ? never() : Promise.reject(new Error('The store failed.'))
        },
      }
      return connected
    },
  }
}
