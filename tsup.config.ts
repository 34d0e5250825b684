import { defineConfig, type Options } from 'tsup'

const ENTRIES = {
  index: 'src/index.ts',
  fake: 'src/fake/index.ts',
  feed: 'src/feed/index.ts',
  format: 'src/format/index.ts',
  msw: 'src/msw/index.ts',
  node: 'src/node/index.ts',
  otel: 'src/otel/index.ts',
  proxy: 'src/proxy/index.ts',
  react: 'src/react/index.ts',
  redis: 'src/redis/index.ts',
  schemas: 'src/schemas/index.ts',
  stream: 'src/stream/index.ts',
  'tanstack-query': 'src/tanstack-query/index.ts',
  vitest: 'src/vitest/index.ts',
}

type Group = (keyof typeof ENTRIES)[]

/** Entries of a group share files, and so the classes of their errors; the more entries, the more files each loads. */
const CLIENT: Group = ['index', 'feed', 'proxy', 'redis', 'stream']
const OTHERS: Group[] = [['fake', 'msw'], ['format'], ['node'], ['otel'], ['react'], ['tanstack-query'], ['vitest']]
/** ES modules: apart from the client, which loads all schemas, a bundle with one schema stays small. */
const ESM: Group[] = [CLIENT, ['schemas'], ...OTHERS]
/** CommonJS: together with the client, because both contain zod. */
const CJS: Group[] = [[...CLIENT, 'schemas'], ...OTHERS]

/** Contained in every build. */
const BUNDLED = ['@noble/hashes']
/** Other entries of this package, which other entries and the program load by name. */
const OWN = ['etn-market', 'etn-market/fake', 'etn-market/feed', 'etn-market/format', 'etn-market/node']
/** What the application brings. */
const PEERS = ['@tanstack/query-core', 'msw', 'react', 'vitest']
/** Shared with the application in ES modules. CommonJS contains them: versions of Node differ in requiring ES modules. */
const SHARED = ['ky', 'p-retry', 'zod']

const common: Options = {
  target: 'es2022',
  platform: 'neutral',
  splitting: true,
  treeshake: true,
  removeNodeProtocol: false,
  external: [...PEERS, ...OWN, /^node:/],
}

/**
 * Shortest syntax without white space, with its names, which stack traces show. Node prints the line of an error that nobody catches:
 * lines are short.
 */
const COMPACT = { minifyWhitespace: true, minifySyntax: true, lineLimit: 120 }
const compact: Options = { esbuildOptions: (options) => void Object.assign(options, COMPACT) }

/** Written by `tsc --project tsconfig.declarations.json`. */
const declarationsOf = (path: string) => path.replace(/^src\/(.*)\.ts$/, '.cache/declarations/$1.d.ts')

const entriesOf = (group: Group) => Object.fromEntries(group.map((name) => [name, ENTRIES[name]]))

export default defineConfig([
  ...ESM.map(
    (group): Options => ({
      ...common,
      // The fake is large and read by nobody.
      ...(group.includes('fake') ? compact : {}),
      entry: entriesOf(group),
      format: 'esm',
      noExternal: BUNDLED,
    }),
  ),
  ...CJS.map(
    // Compact, which keeps the package small: the ES modules are the readable copy.
    (group): Options => ({
      ...common,
      ...compact,
      entry: entriesOf(group),
      format: 'cjs',
      noExternal: [...BUNDLED, ...SHARED],
    }),
  ),
  {
    // The program, and a file for each of its commands. It contains packages in CommonJS, which need `require`.
    ...common,
    entry: { cli: 'src/cli/index.ts' },
    format: 'esm',
    platform: 'node',
    // Everything but this package, which it loads by name: the classes of errors stay the same.
    noExternal: [/^(?!etn-market|node-sqlite3-wasm|zod)/],
    external: [...(common.external ?? []), 'node-sqlite3-wasm', 'zod'],
    minify: true,
    esbuildOptions(options) {
      // The ES modules of yaml leave out what is not used, 17 kB.
      options.alias = { yaml: './node_modules/yaml/browser/dist/index.js' }
    },
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'\nconst require = requireOf(import.meta.url)",
    },
  },
  {
    entry: ENTRIES,
    format: ['esm', 'cjs'],
    external: [...PEERS, ...OWN, ...SHARED],
    dts: {
      only: true,
      // TypeScript has written a declaration file for each source file, which is much faster than to make tsup do it.
      entry: Object.fromEntries(Object.entries(ENTRIES).map(([name, path]) => [name, declarationsOf(path)])),
      banner: '/// <reference lib="esnext.disposable" />',
    },
  },
])
