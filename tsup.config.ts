import { dirname, extname, join, parse, resolve } from 'node:path'
import { rollup } from 'rollup'
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

/**
 * Merges the files that the client shares with other entries into two: `shared`, and `base` for what a page without a client and files that
 * load later need as well. esbuild writes a file for each set of entries, and Node takes longer to find 20 files than to load what is in
 * them. Packages that run code when they load, which no bundle could leave out, are not in `base`. A build without the client stays as it is.
 */
const mergeShared: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'merge-shared',
  setup({ onEnd }) {
    onEnd(async (result) => {
      const texts = new Map(result.outputFiles?.map(({ path, text }) => [path, text]))
      const files = new Map(Object.entries(result.metafile?.outputs ?? {}).map(([path, file]) => [resolve(path), file]))
      const entries = [...files].filter(([, { entryPoint }]) =>
        Object.values(ENTRIES).some((path) => path === entryPoint),
      )
      const [client] = entries.find(([, { entryPoint }]) => entryPoint === ENTRIES.index) ?? []
      if (client === undefined) return

      const importsOf = (path: string, kind: string) =>
        (files.get(path)?.imports ?? [])
          .filter((each) => each.kind === kind && !each.external)
          .map((each) => resolve(each.path))
      const loadedWith = (paths: Iterable<string>) => {
        const loaded = new Set(paths)
        for (const path of loaded) for (const next of importsOf(path, 'import-statement')) loaded.add(next)
        return loaded
      }
      const loaded = loadedWith([client])
      const withoutClient = entries.filter(([, { entryPoint }]) => entryPoint === ENTRIES.stream).map(([path]) => path)
      const later = [...files.keys()].flatMap((path) => importsOf(path, 'dynamic-import'))
      const loadedApart = loadedWith([...withoutClient, ...later])
      const chunkOf = (path: string) => {
        if (entries.some(([entry]) => entry === path)) return undefined
        if (!loaded.has(path)) return parse(path).name
        return loadedApart.has(path) ? 'base' : 'shared'
      }

      const bundle = await rollup({
        input: entries.map(([path]) => path),
        preserveEntrySignatures: 'strict',
        plugins: [
          {
            name: 'esbuild-output',
            resolveId(source, importer = '') {
              const path = resolve(dirname(importer), source)
              return texts.has(path) ? path : { id: source, external: true }
            },
            load: (path) => texts.get(path),
          },
        ],
      })
      const { output } = await bundle.generate({
        entryFileNames: `[name]${extname(client)}`,
        chunkFileNames: ({ name }) => `${name.replace(/-[A-Z0-9]{8}$/, '')}-[hash]${extname(client)}`,
        manualChunks: chunkOf,
        hoistTransitiveImports: false,
        // Names of functions are in stack traces.
        minifyInternalExports: false,
      })
      await bundle.close()
      result.outputFiles = output.flatMap((file) => {
        if (file.type !== 'chunk') return []
        const { code: text, fileName } = file
        return { path: join(dirname(client), fileName), text, contents: new TextEncoder().encode(text), hash: '' }
      })
    })
  },
}

const common: Options = {
  target: 'es2022',
  platform: 'neutral',
  splitting: true,
  treeshake: true,
  removeNodeProtocol: false,
  external: [...PEERS, ...OWN, /^node:/],
  esbuildPlugins: [mergeShared],
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
