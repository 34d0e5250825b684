/** Builds the script of a page: `build.ts BUNDLER ENTRY FOLDER`. Bundlers run in processes of their own, because they block the event loop. */
import { bundlers } from './bundlers.ts'

const [name, entry = '', outdir = ''] = process.argv.slice(2)
await bundlers.find((bundler) => bundler.name === name)?.build(entry, outdir)
