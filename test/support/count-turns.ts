/**
 * Counts the callbacks that wait for a turn of the event loop, so that a test in virtual time knows when nothing happens any more.
 * It runs before the client is loaded, which keeps the function that it finds.
 */
const setImmediateOfNode = globalThis.setImmediate
let waiting = 0

globalThis.setImmediate = Object.assign((callback: (...args: unknown[]) => void, ...args: unknown[]) => {
  waiting++
  return setImmediateOfNode(() => {
    waiting--
    callback(...args)
  })
}, setImmediateOfNode) as typeof setImmediate

/** Resolves a turn later; returns how many callbacks wait for their turn. */
export function passTurn(): Promise<number> {
  return new Promise((resolve) => setImmediateOfNode(() => resolve(waiting)))
}
