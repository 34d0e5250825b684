/**
 * Carries a failure that concerns the caller who started a shared request, and nobody who has joined it: its own limit, or another
 * request of its batch. Never leaves the library.
 */
export class StarterFailure extends Error {
  /** What the caller who started the request is told. */
  readonly reason: unknown

  constructor(reason: unknown) {
    super('The request ended by the limit of the caller who started it.')
    this.reason = reason
  }
}
