import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { NATIVE, versionOfNative } from '../native/packages.ts'
import { bundleScenario, type Runtime } from './runtime.ts'

/** The part of `edge-runtime` that is used here. */
interface EdgeModule {
  readonly EdgeRuntime: new (options: { initialCode: string }) => { dispatchFetch(url: string): Promise<Response> }
}

/** What Vercel runs middleware and edge functions on. */
export const edge: Runtime = {
  name: 'edge-runtime',
  version: async () => versionOfNative('edge-runtime'),
  async run(project, baseUrl) {
    const { EdgeRuntime }: EdgeModule = createRequire(join(NATIVE, 'package.json'))('edge-runtime')
    const script = await bundleScenario(project, 'edge', 'edge.js', {
      external: [],
      nodePaths: [join(project.folder, 'node_modules')],
      mainFields: ['module', 'main'],
      conditions: ['edge-light', 'import'],
      format: 'iife',
    })
    const runtime = new EdgeRuntime({ initialCode: readFileSync(script, 'utf8') })
    const response = await runtime.dispatchFetch(`http://edge.test/?baseUrl=${encodeURIComponent(baseUrl)}`)
    return { report: JSON.parse(await response.text()) }
  },
}
