import fc from 'fast-check'
import { test } from 'vitest'
import { path, seed, shouldShrink, times } from './seed.ts'

/** A case that takes longer hangs. Virtual time passes meanwhile, so this is much more than any case takes on a busy machine. */
const CASE_TIMEOUT_MS = 30_000
/** All cases of a property: longer than they take on a busy machine. */
const TIMEOUT_MS = 120_000
/** What is left to print a failure before vitest ends the test. */
const MARGIN_MS = 5_000
/** A case that is made smaller again and again, by request. */
const SHRINK_MS = 30 * 60_000

export interface PropertyOptions<T> {
  /** How many random cases are tried. `npm run test:explore` tries 20 times as many. */
  readonly cases: number
  /** Cases that once failed, tried first. */
  readonly examples?: T[]
  /** Checks what all cases together have shown, once each of them has passed. */
  readonly afterAll?: () => void
}

/** A property, or a function that prepares what its cases share. */
type PropertyOf<T> = fc.IRawProperty<T> | (() => fc.IRawProperty<T> | Promise<fc.IRawProperty<T>>)

/**
 * A test of random cases. They are the same for everybody, see `seed.ts`. A failure prints the seed, the path and the case; it is printed
 * at once, so that a slow search for a smaller case cannot hide it. To find a smaller case:
 * `ETN_MARKET_TEST_SHRINK=1 ETN_MARKET_TEST_SEED=… ETN_MARKET_TEST_PATH=… npx vitest run -t 'the title'`.
 */
export function testProperty<T>(title: string, property: PropertyOf<T>, options: PropertyOptions<T>): void {
  const { cases, examples = [], afterAll } = options
  const timeout = shouldShrink ? SHRINK_MS : TIMEOUT_MS * times
  test(title, { tags: ['property'], timeout }, async () => {
    await fc.assert(typeof property === 'function' ? await property() : property, {
      seed,
      numRuns: cases * times + examples.length,
      examples,
      endOnFailure: !shouldShrink,
      timeout: CASE_TIMEOUT_MS,
      interruptAfterTimeLimit: timeout - MARGIN_MS,
      markInterruptAsFailure: true,
      ...(path !== undefined && { path }),
    })
    // One case shows nothing about all of them.
    if (path === undefined) afterAll?.()
  })
}
