/** The reason of a call that took too long; replaced by a TimeoutError before it leaves the library. */
export const DEADLINE_EXCEEDED = Symbol('deadline exceeded')
