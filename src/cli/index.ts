#!/usr/bin/env node
import { run } from './run.ts'

const code = await run(process.argv.slice(2), process)
if (code !== undefined) {
  // Ends the process even if standard input is still open, after everything that was printed has left.
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)))
}
