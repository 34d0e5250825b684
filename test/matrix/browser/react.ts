import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { chromiumSettings } from '../runtimes/chromium.ts'
import { MATRIX, type Project } from '../support/project.ts'
import { attempt, type Result } from '../support/result.ts'
import { runVitest, versionOf } from '../support/vitest.ts'

const NAME = 'React and TanStack Query in Chromium'
const PACKAGES = ['react', 'react-dom', '@tanstack/query-core', '@tanstack/react-query']
const DEPENDENCIES = [
  ...['react', 'react/jsx-runtime', 'react-dom/client', 'react-dom/server', '@tanstack/react-query'],
  ...[
    'etn-market',
    'etn-market/fake',
    'etn-market/feed',
    'etn-market/format',
    'etn-market/react',
    'etn-market/tanstack-query',
  ],
]

/** Components in a page, under StrictMode, with the ledger of the fake. */
export async function runReact(
  createProject: (name: string) => Project,
  isWanted: (name: string) => boolean,
  addResult: (result: Result) => void,
): Promise<void> {
  if (!isWanted(NAME)) return
  addResult(
    await attempt(NAME, async () => {
      const project = createProject('react')
      for (const name of [...PACKAGES, 'vitest', '@vitest/browser-playwright', 'playwright']) project.link(name)
      await build({
        entryPoints: [join(MATRIX, 'browser/react.test.tsx')],
        outdir: project.folder,
        bundle: true,
        packages: 'external',
        format: 'esm',
        platform: 'neutral',
        jsx: 'automatic',
        tsconfigRaw: {},
        logLevel: 'silent',
      })
      copyFileSync(join(MATRIX, 'browser/vitest.config.ts'), join(project.folder, 'vitest.config.ts'))
      return runVitest(project, {
        node: process.execPath,
        config: 'vitest.config.ts',
        version: `${versionOf('react')}, ${versionOf('@tanstack/react-query')}`,
        env: {
          ...chromiumSettings(),
          MATRIX_TESTS: 'react.test.js',
          MATRIX_DEPENDENCIES: DEPENDENCIES.join(' '),
        },
      })
    }),
  )
}
