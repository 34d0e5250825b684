import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createScene } from './program.ts'

test('the script for bash completes commands, operations and options', async () => {
  const { run } = await createScene()
  const { stdout } = await run(['completion', 'bash'])
  const complete = (...words: string[]) => {
    const script = `${stdout}\nCOMP_WORDS=(etn-market "$@"); COMP_CWORD=$#; _etn_market; echo "\${COMPREPLY[@]}"`
    return execFileSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8' }).trim()
  }
  expect(complete('c')).toBe('cost call candles completion')
  expect(complete('cost', 'token.l')).toBe('token.list')
  expect(complete('sweep', 'nft')).toBe('nft-collections')
  expect(complete('call', 'pool.list', '--ver')).toBe('--version')
  expect(complete('completion', '')).toContain('bash zsh fish')
})

test('the scripts for zsh and fish name every command', async () => {
  const { run } = await createScene()
  expect((await run(['completion', 'zsh'])).stdout).toMatch(
    /^autoload -U \+X bashcompinit && bashcompinit\n[\s\S]* words="demo cost call plan [\s\S]*\ncomplete -o default -F _etn_market etn-market\n$/,
  )
  expect((await run(['completion', 'fish'])).stdout).toContain("-n '__fish_seen_subcommand_from candles' -l svg")
})

/** What is counted in the words of the program. */
const COUNTED = 'credits|requests|calls|candles|tokens|addresses|prices|lines|items|fields|grades|operations|answers'

test('a number and what it counts are written by one function, which knows "1 candle"', () => {
  const folder = 'src/cli'
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))
  // The second number of a range is more than one.
  const counted = new RegExp(`(?<! to )\\$\\{[^{}]*\\} (?:${COUNTED})\\b`, 'g')
  const found = files.flatMap((path) =>
    Array.from(readFileSync(join(folder, path), 'utf8').matchAll(counted), ([text]) => `${path}: ${text}`),
  )
  expect(files.length).toBeGreaterThan(30)
  expect(found).toEqual([])
})

test('every command has help with an example, and every page of help fits 80 columns', async () => {
  const { run } = await createScene()
  const { stdout } = await run(['--help'])
  for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80)
  const names = [...stdout.matchAll(/^ {2}([a-z]+) {2,}/gm)]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'help')
  expect(names.length).toBeGreaterThan(8)
  for (const name of names) {
    const help = await run([name, '--help'])
    expect([help.code, help.stdout]).toEqual([
      0,
      expect.stringMatching(new RegExp(`\\nExamples?:\\n  \\$ etn-market ${name}\\b`)),
    ])
    for (const line of help.stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80)
  }
})
