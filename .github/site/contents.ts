/** What the site shows, in this order. A guide beside code that is missing here, or one that does not exist, fails the build. */

export const REPOSITORY = 'https://github.com/etn-market/etn-market'
/** GitHub Pages of the repository. */
export const SITE = 'https://etn-market.github.io/etn-market/'
/** Where `.github/workflows/pages.yml` puts the page of `examples/dapp`. */
export const MARKET_PAGE = `${SITE}market/`

/** What etn-market is, for those who see no more than a sentence. */
export const SUMMARY =
  'A typed TypeScript client for the metered market-data API of a decentralised exchange on the Electroneum chain. It knows what ' +
  'a call costs before it is sent, and never spends more than its budget.'
/** What a preview of a link shows: a picture of the README, which TypeDoc copies. */
export const PICTURE = { path: 'media/market-light.webp', alt: 'The market page: tokens with live prices' }

export const GUIDES = [
  'src/GUIDE.md',
  'src/credits/GUIDE.md',
  'src/request/GUIDE.md',
  'src/sweep/GUIDE.md',
  'src/feed/GUIDE.md',
  'src/candles/GUIDE.md',
  'src/trades/GUIDE.md',
  'src/portfolio/GUIDE.md',
  'src/proxy/GUIDE.md',
  'src/fake/GUIDE.md',
  'examples/testing/GUIDE.md',
  'src/cli/GUIDE.md',
  'src/redis/GUIDE.md',
  'src/concurrency/GUIDE.md',
  'examples/recipes/GUIDE.md',
]

/** Folders below `src/` with an entry of the package; the first is the package itself. */
export const ENTRIES = [
  '',
  'feed',
  'candles',
  'trades',
  'portfolio',
  'proxy',
  'stream',
  'react',
  'tanstack-query',
  'fake',
  'vitest',
  'msw',
  'node',
  'redis',
  'otel',
  'format',
  'schemas',
]

/**
 * The groups of an entry with many exports, in their order. An export belongs to the first group with a pattern for its name or for
 * the file that declares it. One that belongs to none fails the build.
 */
export const GROUPS: Readonly<Record<string, readonly (readonly [group: string, patterns: readonly RegExp[]])[]>> = {
  'etn-market': [
    [
      'Client',
      [
        /^src\/client\/client\.ts$/,
        /^src\/client\/options\.ts$/,
        /^src\/client\/api-promise\.ts$/,
        /^(Methods|Clock)$/,
      ],
    ],
    ['Costs and budgets', [/^src\/credits\//]],
    ['Errors', [/^src\/errors\//]],
    ['Events', [/^src\/client\/events\.ts$/]],
    ['Sweeps', [/^src\/client\/sweep-types\.ts$/]],
    ['Fleets', [/^src\/fleet\//]],
    ['Helpers', [/^src\/utils\//]],
    ['Transport and hooks', [/^src\/transport\//]],
    ['Operations', [/^src\/operations\//, /^src\/generated\/operations\.ts$/, /^Operation(Params|Data)$/]],
    ['Answers', [/^src\/generated\/types\.ts$/]],
  ],
  'etn-market/feed': [
    ['Feed', [/^src\/feed\/page-visibility\.ts$/, /^src\/feed\/(feed|types|schedule\/explain)\.ts$/]],
    ['Watches and alerts', [/^src\/feed\/watch\//]],
    ['Stream', [/^src\/feed\/stream\//]],
    ['Events', [/^src\/feed\/events\.ts$/]],
  ],
  'etn-market/fake': [
    [
      'Service',
      [
        /^src\/fake\/(service|options|types|use-fake-service)\.ts$/,
        /^(CorsMode|RateLimitOptions|FakeClock|FakeUsageError)$/,
      ],
    ],
    ['Keys, ledger and journal', [/^src\/fake\/rules\/(accounts|ledger|journal|expect)\.ts$/]],
    ['World', [/^src\/fake\/data\//, /^Bucket$/]],
    ['Faults and stubs', [/^src\/fake\/faults\//, /^src\/fake\/rules\/stubs\.ts$/]],
    ['Tapes', [/^src\/fake\/(record|rules\/tape)\.ts$/]],
    ['Routes', [/^src\/fake\/rules\/routes\.ts$/]],
  ],
}
