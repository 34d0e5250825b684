import { dirname, extname, join, parse, resolve } from 'node:path'
import { rollup } from 'rollup'
import type { Options } from 'tsup'

type Plugin = NonNullable<Options['esbuildPlugins']>[number]

/**
 * Merges the files that the client shares with other entries into three: `shared`; `base` for what a page without a client and files that
 * load later need as well; and `streams` for what of that no feed loads at first, because a bundle of it would. esbuild writes a file for each set of entries, and Node takes longer to find 18 files than to load what is in
 * them: without this pass an import takes 1.35 to 1.4 times as much CPU time as that of ky and p-retry, and with it 1.2. Packages that run
 * code when they load, which no bundle could leave out, are not in `base`. A build without the client stays as it is.
 */
export const mergeShared = (sources: Readonly<Record<string, string>>): Plugin => ({
  name: 'merge-shared',
  setup({ onEnd }) {
    onEnd(async (result) => {
      const texts = new Map(result.outputFiles?.map(({ path, text }) => [path, text]))
      const files = new Map(Object.entries(result.metafile?.outputs ?? {}).map(([path, file]) => [resolve(path), file]))
      const entries = [...files].filter(([, { entryPoint }]) =>
        Object.values<string | undefined>(sources).includes(entryPoint),
      )
      const [client] = entries.find(([, { entryPoint }]) => entryPoint === sources.index) ?? []
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
      const pathsOf = (source: string | undefined) =>
        entries.filter(([, { entryPoint }]) => entryPoint === source).map(([path]) => path)
      const later = [...files.keys()].flatMap((path) => importsOf(path, 'dynamic-import'))
      const loadedApart = loadedWith([...pathsOf(sources.stream), ...later])
      const loadedByFeed = loadedWith(pathsOf(sources.feed))
      const chunkOf = (path: string) => {
        if (entries.some(([entry]) => entry === path)) return undefined
        if (!loaded.has(path)) return parse(path).name
        if (!loadedApart.has(path)) return 'shared'
        return loadedByFeed.has(path) ? 'base' : 'streams'
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
})
