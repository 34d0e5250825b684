/** Runs the suite once, in this process and its threads, and reports its times. The process must then exit by itself. */
import { startVitest } from 'vitest/node'

// Threads count towards the CPU time of this process; child processes would not.
const options = { config: false, watch: false, pool: 'threads', include: ['tests/*.test.ts'], reporters: [{}] }

const startedAt = performance.now()
const vitest = await startVitest('test', [], options)
const files = vitest.state.getTestModules()
const passed = files.flatMap((file) => [...file.children.allTests('passed')]).length
// Imports, hooks and tests, without the start of vitest itself.
const durations = files.map((file) => file.diagnostic()).map((time) => time.collectDuration + time.duration)
await vitest.close()
const { user, system } = process.cpuUsage()
process.send({
  passed,
  wallMs: performance.now() - startedAt,
  cpuMs: (user + system) / 1000,
  filesMs: durations.reduce((sum, ms) => sum + ms, 0),
})
process.disconnect()
