import fc from 'fast-check'
import { onTestFinished, test } from 'vitest'
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
  /** How many random cases are tried. `npm run test:explore` tries 40 times as many. */
  readonly cases: number
  /** Cases that once failed, tried first. */
  readonly examples?: T[]
  /** Checks what all cases together have shown, once each of them has passed. */
  readonly afterAll?: () => void
}

/** A property, or a function that prepares what its cases share. */
type PropertyOf<T> = fc.IRawProperty<T> | (() => fc.IRawProperty<T> | Promise<fc.IRawProperty<T>>)

/** One kind of step for `fc.oneof`, with how often it is drawn beside the others. */
export function weighted<T>(weight: number, fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) {
  return { weight, arbitrary: fc.record(fields) }
}

/** What an arbitrary draws. */
export type Drawn<A> = A extends fc.Arbitrary<infer T> ? T : never

type Close = () => void | Promise<void>

/** What the running case has to close; undefined while none runs. A worker runs one test at a time. */
let ofCase: Close[] | undefined

/**
 * Calls a function when the running case of a property ends, or else the test. `onTestFinished` alone would keep the feeds and services of
 * a thousand cases in memory.
 */
export function onCaseFinished(close: Close): void {
  if (ofCase) ofCase.push(close)
  else onTestFinished(close)
}

function startCase() {
  const toClose: Close[] = []
  ofCase = toClose
  return () => {
    ofCase = undefined
    return toClose.length > 0 ? closeAll(toClose) : undefined
  }
}

async function closeAll(toClose: readonly Close[]): Promise<void> {
  for (const close of toClose.toReversed()) await close()
}

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
      plugins: [fc.timeout(CASE_TIMEOUT_MS), fc.beforeEach(startCase)],
      interruptAfterTimeLimit: timeout - MARGIN_MS,
      markInterruptAsFailure: true,
      ...(path !== undefined && { path }),
    })
    // One case shows nothing about all of them.
    if (path === undefined) afterAll?.()
  })
}
