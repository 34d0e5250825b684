#!/usr/bin/env node
import { createHost } from './host.ts'
import { run } from './program.ts'

const host = createHost()
const code = await run(process.argv.slice(2), host)
if (code !== undefined) {
  // Ends the process even if standard input is still open, after everything that was printed has left.
  host.stdout.write('', () => host.stderr.write('', () => host.exit(code)))
}
