/** Runs the suite once, in this process and its threads, and tells what it took. Then it has to end by itself. */
import { fileURLToPath } from 'node:url'
import { startVitest } from 'vitest/node'

// What install.ts built. Below node_modules it is loaded as it is, as a user's suite loads it.
const built = (name) => fileURLToPath(new URL(`node_modules/etn-market/dist/${name}.js`, import.meta.url))
const alias = [
  { find: /^etn-market$/, replacement: built('index') },
  { find: /^etn-market\/fake$/, replacement: built('fake') },
  { find: /^etn-market\/msw$/, replacement: built('msw') },
]
// Threads, so that the process knows what all of it took.
const options = { config: false, watch: false, pool: 'threads', include: ['tests/*.test.ts'], reporters: [{}] }

const startedAt = performance.now()
const vitest = await startVitest('test', [], options, { resolve: { alias } })
const files = vitest.state.getTestModules()
const passed = files.flatMap((file) => [...file.children.allTests('passed')]).length
// Imports, hooks and tests, without what vitest itself takes to start.
const inFiles = files.map((file) => file.diagnostic()).map((took) => took.collectDuration + took.duration)
await vitest.close()
const { user, system } = process.cpuUsage()
process.send({
  passed,
  wallMs: performance.now() - startedAt,
  cpuMs: (user + system) / 1000,
  filesMs: inFiles.reduce((sum, ms) => sum + ms, 0),
})
process.disconnect()
