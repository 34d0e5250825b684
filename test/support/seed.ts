import fc from 'fast-check'

/** Everybody tries the same random cases, in CI too, so that a run gives everybody the same result. */
const FIXED_SEED = 1_406_583

const { ETN_MARKET_TEST_SEED, ETN_MARKET_TEST_TIMES, ETN_MARKET_TEST_PATH, ETN_MARKET_TEST_SHRINK } = process.env

/** The seed of random cases. `npm run test:explore` draws one. */
export const seed = Number(ETN_MARKET_TEST_SEED ?? FIXED_SEED)

/** How many times as many cases a property tries. */
export const times = Number(ETN_MARKET_TEST_TIMES ?? 1)

/** The path of one case, as a failure prints it. */
export const path = ETN_MARKET_TEST_PATH

/** Whether a failure looks for a smaller case, which may take minutes. */
export const shouldShrink = ETN_MARKET_TEST_SHRINK !== undefined

// For `fc.sample`. Properties pass the seed, see `property.ts`.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed })
