import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { apiReports, entryFiles } from './api-report.ts'
import { ROOT } from './pack.ts'

const reports = apiReports()

test('every subpath has a report of its public types in api/, and nothing else is there', () => {
  expect(readdirSync(join(ROOT, 'test/package/api')).sort()).toEqual(
    [...entryFiles().keys()].map((name) => `${name}.api.md`).sort(),
  )
})

test.each([...reports])('%s is up to date: a change of the public types is a decision', (path, text) => {
  expect(text, `the public types have changed: run \`npm run api\` and review ${path}`).toBe(
    readFileSync(join(ROOT, path), 'utf8'),
  )
})

/** The root exports what users write down, and nothing that only stands in the way where an editor proposes names. */
const ROOT_REPORT = 'test/package/api/index.api.md'

test('the root exports at most 91 names', () => {
  const exported = reports.get(ROOT_REPORT)?.split('\n## ')[0] ?? ''
  const names = [...exported.matchAll(/^export (?:declare )?(?:type|interface|class|function|const) (\w+)/gm)]
  const unique = new Set(names.map(([, name]) => name))
  expect(unique.size).toBeGreaterThan(60)
  expect(unique.size).toBeLessThanOrEqual(91)
  const clutter = /^(Param|.*Rule$|.*EventBase$|FleetAccountReader$|NoParamsNeeded$|Methods$)/
  expect([...unique].filter((name = '') => clutter.test(name))).toEqual([])
})

const others = [...reports].filter(([path]) => path !== ROOT_REPORT)

test.each(others)('%s: every type that the surface names is exported', (_, text) => {
  const unexported = text.split('## Named above, but not exported')[1] ?? ''
  const names = [...unexported.matchAll(/^(?:export )?(?:declare )?(?:type|interface|class) (\w+)/gm)].map(
    ([, name]) => name,
  )
  expect(names).toEqual([])
})
