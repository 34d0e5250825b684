/**
 * Counts the callbacks that wait for a turn of the event loop, so that a test in virtual time knows when nothing happens any more.
 * It runs before the client is loaded, which keeps the function that it finds; and again before each test file of a worker, whose
 * files share their modules. So there is one counter for each worker.
 */
interface Turns {
  readonly setImmediateOfNode: typeof setImmediate
  waiting: number
}

const KEY = Symbol.for('etn-market.test.turns')
const shared = globalThis as { [KEY]?: Turns }
shared[KEY] ??= startCounting()
const turns = shared[KEY]

function startCounting(): Turns {
  const counted: Turns = { setImmediateOfNode: globalThis.setImmediate, waiting: 0 }
  const { setImmediateOfNode } = counted
  const setImmediate = (callback: (...args: unknown[]) => void, ...args: unknown[]) => {
    counted.waiting++
    return setImmediateOfNode(() => {
      counted.waiting--
      callback(...args)
    })
  }
  globalThis.setImmediate = Object.assign(setImmediate, setImmediateOfNode) as unknown as typeof globalThis.setImmediate
  return counted
}

/** Resolves a turn later; returns how many callbacks wait for their turn. */
export function passTurn(): Promise<number> {
  return new Promise((resolve) => turns.setImmediateOfNode(() => resolve(turns.waiting)))
}
