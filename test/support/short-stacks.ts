import { afterAll, beforeAll } from 'vitest'

/**
 * Makes errors without stack frames in this file. A property creates thousands of errors, and mapping their stacks to the source takes
 * longer than everything else; what failed is in the counterexample.
 */
export function omitStacks(): void {
  const limit = Error.stackTraceLimit
  beforeAll(() => {
    Error.stackTraceLimit = 0
  })
  afterAll(() => {
    Error.stackTraceLimit = limit
  })
}
