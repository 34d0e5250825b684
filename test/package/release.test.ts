import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { ROOT } from './pack.ts'

const SCRIPT = join(ROOT, '.github/check-release.mjs')
const CHANGELOG = '# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-01-01\n\n- A change.\n\n## [1.1.0]\n'

function check(tag: string, version: string, changelog = CHANGELOG) {
  const folder = mkdtempSync(join(tmpdir(), 'release-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ version }))
  writeFileSync(join(folder, 'CHANGELOG.md'), changelog)
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, tag, folder], { encoding: 'utf8' })
  return { status, problems: stderr.trim() }
}

describe('the release check', () => {
  test('accepts a tag that package.json and the changelog name', () => {
    expect(check('v1.2.0', '1.2.0')).toEqual({ status: 0, problems: '' })
  })

  test.each([
    ['another tag', 'v1.2.1', '1.2.0', 'the tag is "v1.2.1", but package.json has the version 1.2.0'],
    ['no tag', '', '1.2.0', 'the tag is ""'],
    ['a version that the changelog does not name', 'v1.2.1', '1.2.1', 'CHANGELOG.md has no heading for 1.2.1'],
    ['a version that only starts like one of the changelog', 'v1.2.0-rc.1', '1.2.0-rc.1', 'has no heading'],
    ['a version without text', 'v1.1.0', '1.1.0', 'CHANGELOG.md has no text for 1.1.0'],
  ])('rejects %s', (_, tag, version, problem) => {
    const checked = check(tag, version)
    expect(checked.status).toBe(1)
    expect(checked.problems).toContain(problem)
  })
})

test('the workflows use commands and files that exist', () => {
  const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
  const commandsOf = (path: string) => {
    const { jobs } = parse(read(path)) as { jobs: Record<string, { steps: { run?: string }[] }> }
    return Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => (run === undefined ? [] : [run])))
  }
  const release = commandsOf('.github/workflows/release.yml')
  expect(commandsOf('.github/workflows/ci.yml')).toContain('.ci/run')
  expect(release.slice(0, 3)).toEqual(['node .github/check-release.mjs "$GITHUB_REF_NAME"', 'npm ci', 'npm test'])
  expect(release.at(-1)).toBe('npm publish --provenance --access public')
})

test('every npm command of CONTRIBUTING exists', () => {
  const text = readFileSync(join(ROOT, '.github/CONTRIBUTING.md'), 'utf8')
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object }
  const named = [...text.matchAll(/`npm (?:run )?([\w:]+)`/g)].map(([, name = '']) => name)
  expect(named).toContain('generate')
  expect(named.filter((name) => name !== 'ci' && !Object.keys(scripts).includes(name))).toEqual([])
})
