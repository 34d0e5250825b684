import fc from 'fast-check'

/** In CI, every run of a commit tries the same random cases, so that what passed once passes again; elsewhere each run tries others. */
const { ETN_MARKET_TEST_SEED: seed } = process.env
if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) })
