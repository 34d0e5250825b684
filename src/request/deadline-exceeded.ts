/** The reason of a call that took too long; replaced by a TimeoutError before it leaves the library. */
export const DEADLINE_EXCEEDED = Symbol('deadline exceeded')
/** The same for a call that waited for a store or a fleet; replaced by a StateUnavailableError. */
export const STATE_DEADLINE_EXCEEDED = Symbol('deadline exceeded during a wait for the state')
