import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from './pack.ts'

const guide = readFileSync(join(ROOT, 'src/feed/GUIDE.md'), 'utf8')
const rows = [...guide.matchAll(/^\| (.+) \| `(.+)`: "(.+)" \|$/gm)]

test('the guide of the feed lists its guarantees', () => {
  expect(rows.length).toBeGreaterThan(8)
  expect(rows).toHaveLength(guide.split('## Guarantees')[1]?.match(/^\| (?!Guarantee|---)/gm)?.length ?? 0)
})

test.each(rows.map(([, guarantee, file, title]) => ({ guarantee, file, title })))(
  'the test of a guarantee exists: $guarantee',
  ({ file = '', title }) => {
    expect(readFileSync(join(ROOT, file), 'utf8')).toContain(`'${title}'`)
  },
)
