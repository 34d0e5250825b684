import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

const collect = runInNewContext('gc') as () => void

/** Collects what nothing holds any more, and what only that held until it was finalized. */
export function collectGarbage(): void {
  collect()
  collect()
}
