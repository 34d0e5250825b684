/** Checks the site that `npm run docs` has written, in Chromium, and prints how many checks passed and failed. */
import { existsSync } from 'node:fs'
import { checkAccessibility } from './checks/accessibility.ts'
import { checkLinks } from './checks/links.ts'
import { checkPages } from './checks/pages.ts'
import { checkReading } from './checks/reading.ts'
import { checkSearch } from './checks/search.ts'
import { launchBrowser } from './support/browser.ts'
import { DOCS, serveDocs } from './support/serve.ts'

const print = (line: string) => process.stdout.write(`${line}\n`)

if (!existsSync(`${DOCS}/index.html`)) throw new Error('There is no site: run `npm run docs` first')
const startedAt = Date.now()
const site = await serveDocs()
const browser = await launchBrowser()
let passed = 0
let failed = 0
for (const run of [checkPages, checkLinks, checkReading, checkSearch, checkAccessibility]) {
  for (const { name, problems } of await run({ browser, site })) {
    const isOk = problems.length === 0
    print(`${isOk ? 'ok    ' : 'FAILED'} ${name}`)
    for (const problem of problems) print(`       ${problem}`)
    if (isOk) passed++
    else failed++
  }
}
await browser.close()
await site.close()
print(`\n${Math.round((Date.now() - startedAt) / 1000)} s`)
print(`${passed} passed, ${failed} failed`)
if (failed > 0) process.exitCode = 1
