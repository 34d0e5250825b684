import { defineConfig, type Options } from 'tsup'
import { mergeShared } from './.github/build/merge-shared.ts'

/** Entries of a group share files, and so the classes of their errors; the more entries, the more files each loads. */
const CLIENT = ['index', 'feed', 'candles', 'trades', 'portfolio', 'proxy', 'redis', 'stream']
const OTHERS = [['fake', 'msw'], ['format'], ['node'], ['otel'], ['react'], ['tanstack-query'], ['vitest']]
/** In ES modules apart from the client, which loads all: a bundle with one stays small. In CommonJS both contain zod. */
const SCHEMAS = 'schemas'

const entriesOf = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, name === 'index' ? 'src/index.ts' : `src/${name}/index.ts`]))

/** Other entries of this package, which other entries and the program load by name. */
const OWN = [
  'etn-market',
  'etn-market/candles',
  'etn-market/fake',
  'etn-market/feed',
  'etn-market/format',
  'etn-market/node',
  'etn-market/portfolio',
]
/** What the application brings. */
const PEERS = ['@tanstack/query-core', 'msw', 'react', 'vitest']
/** Shared with the application in ES modules. CommonJS contains them: versions of Node differ in requiring ES modules. */
const SHARED = ['ky', 'p-retry', 'zod']

const common = {
  target: 'es2022',
  platform: 'neutral',
  splitting: true,
  treeshake: true,
  removeNodeProtocol: false,
  external: [...PEERS, ...OWN, /^node:/],
  esbuildPlugins: [mergeShared(entriesOf([...CLIENT, SCHEMAS]))],
} satisfies Options

/** With its names, which stack traces show. Node prints the line of an error that nobody catches: lines are short. */
const COMPACT = { minifyWhitespace: true, minifySyntax: true, lineLimit: 120 }

const esm = (group: string[]): Options => ({
  ...common,
  // The fake is large and read by nobody.
  ...(group.includes('fake') && { esbuildOptions: (options) => void Object.assign(options, COMPACT) }),
  entry: entriesOf(group),
  format: 'esm',
  noExternal: ['@noble/hashes'],
})

const cjs = (group: string[]): Options => ({
  ...common,
  // Compact, which keeps the package small: the ES modules are the readable copy.
  esbuildOptions: (options) => void Object.assign(options, COMPACT),
  entry: entriesOf(group),
  format: 'cjs',
  noExternal: ['@noble/hashes', ...SHARED],
})

const REQUIRE = "import { createRequire as requireOf } from 'node:module'\nconst require = requireOf(import.meta.url)"
/** The program, and a file for each of its commands. It contains packages in CommonJS, which need `require`. */
const program: Options = {
  ...common,
  entry: { cli: 'src/cli/index.ts' },
  format: 'esm',
  platform: 'node',
  // Everything but this package, which it loads by name.
  noExternal: [/^(?!etn-market|node-sqlite3-wasm|zod)/],
  external: [...common.external, 'node-sqlite3-wasm', 'zod'],
  minify: true,
  // The ES modules of yaml leave out what is not used, 17 kB.
  esbuildOptions: (options) =>
    void Object.assign(options, { alias: { yaml: './node_modules/yaml/browser/dist/index.js' } }),
  banner: { js: REQUIRE },
}

export default defineConfig([
  ...[CLIENT, [SCHEMAS], ...OTHERS].map(esm),
  ...[[...CLIENT, SCHEMAS], ...OTHERS].map(cjs),
  program,
])
