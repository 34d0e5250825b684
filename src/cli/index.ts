#!/usr/bin/env node
import { createRequire } from 'node:module'
import { Command } from 'commander'
import { addFakeCommand } from './fake-command.ts'

const { version } = createRequire(import.meta.url)('etn-market/package.json') as { version: string }
const program = new Command('etn-market')
program.description('Tools for the metered market-data API.').version(version)
addFakeCommand(program)

try {
  await program.parseAsync()
} catch (error) {
  // Users need the message; a stack is of no use to them.
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
