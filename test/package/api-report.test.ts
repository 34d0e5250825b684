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

test.each([...reports])('%s: every type that the surface names is exported', (_, text) => {
  const unexported = text.split('## Named above, but not exported')[1] ?? ''
  const names = [...unexported.matchAll(/^(?:export )?(?:declare )?(?:type|interface|class) (\w+)/gm)].map(
    ([, name]) => name,
  )
  expect(names).toEqual([])
})
