/** How old a live price may be. The demo costs nothing, so it is faster. */
export const PRICE_EVERY_MS = __DEMO__ ? 3_000 : 60_000
