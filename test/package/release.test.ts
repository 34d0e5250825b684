import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { packed, ROOT, runPacked } from './pack.ts'

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

  test.each<[string, string, string, string, string?]>([
    ['another tag', 'v1.2.1', '1.2.0', 'the tag is "v1.2.1", but package.json has the version 1.2.0'],
    ['no tag', '', '1.2.0', 'the tag is ""'],
    ['a version that the changelog does not name', 'v1.2.1', '1.2.1', 'CHANGELOG.md has no heading for 1.2.1'],
    ['a version that only starts like one of the changelog', 'v1.2.0-rc.1', '1.2.0-rc.1', 'has no heading'],
    [
      'text under Unreleased',
      'v1.2.0',
      '1.2.0',
      'CHANGELOG.md has text under Unreleased: move it below 1.2.0',
      CHANGELOG.replace('[Unreleased]\n', '[Unreleased]\n\n- Another change.\n'),
    ],
    ['a version without text', 'v1.1.0', '1.1.0', 'CHANGELOG.md has no text for 1.1.0'],
  ])('rejects %s', (_, tag, version, problem, changelog) => {
    const checked = check(tag, version, changelog)
    expect(checked.status).toBe(1)
    expect(checked.problems).toContain(problem)
  })
})

interface Job {
  container?: { image: string; options: string }
  permissions?: Record<string, string>
  steps: { uses?: string; run?: string; with?: Record<string, unknown> }[]
}

const WORKFLOWS = join(ROOT, '.github/workflows')
const jobsOf = (name: string) =>
  (parse(readFileSync(join(WORKFLOWS, name), 'utf8')) as { jobs: Record<string, Job> }).jobs
const commandsOf = (job: Job | undefined) => job?.steps.flatMap(({ run = [] }) => run) ?? []

test('the version of package.json could be released now', () => {
  const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  expect(check(`v${version}`, version, changelog).problems).toBe('')
  const [, released = ''] = changelog.split(`## [${version}]`)
  expect(released.split('\n## ')[0]?.split('\n').length).toBeLessThanOrEqual(60)
})

describe('the workflows', () => {
  const names = readdirSync(WORKFLOWS)

  test('pin every action by its commit', () => {
    const lines = names.flatMap((name) => readFileSync(join(WORKFLOWS, name), 'utf8').split('\n'))
    const used = lines.filter((line) => line.includes('uses:'))
    expect(used.length).toBeGreaterThan(10)
    expect(used.filter((line) => !/uses: [\w-]+(?:\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([])
  })

  test('keep no token of the checkout where installed packages could read it', () => {
    const steps = names.flatMap((name) => Object.values(jobsOf(name)).flatMap((job) => job.steps))
    const checkouts = steps.filter(({ uses = '' }) => uses.startsWith('actions/checkout@'))
    expect(checkouts.length).toBeGreaterThan(5)
    expect(checkouts.filter((step) => step.with?.['persist-credentials'] !== false)).toEqual([])
  })

  test('check a release, and test it as every change of main, before it is packed', () => {
    const { test: tests } = jobsOf('ci.yml')
    const { build } = jobsOf('release.yml')
    expect(commandsOf(tests)).toEqual(['.ci/run'])
    expect(build?.container).toEqual(tests?.container)
    expect(tests?.container?.image).toBe(`node:${readFileSync(join(ROOT, '.nvmrc'), 'utf8').trim()}-bookworm`)
    expect(commandsOf(build)).toEqual([
      'git config --global --add safe.directory "$GITHUB_WORKSPACE"',
      'node .github/check-release.mjs "$GITHUB_REF_NAME"',
      'git merge-base --is-ancestor "$GITHUB_SHA" origin/main',
      '.ci/run',
      'npm run build',
      'npm pack',
    ])
  })

  test('install nothing, and check nothing out, in a job that can publish', () => {
    const jobs = names.flatMap((name) => Object.values(jobsOf(name)))
    const publishing = jobs.filter(({ permissions = {} }) => permissions['id-token'] === 'write')
    expect(publishing.flatMap(commandsOf)).toEqual([
      'npm publish ./etn-market-*.tgz --provenance --access public --ignore-scripts',
    ])
    expect(publishing.flatMap(({ steps }) => steps).filter(({ uses = '' }) => uses.includes('checkout'))).toEqual([])
  })

  test('run what `npm test` runs, and use the packed package elsewhere', () => {
    const { test: tests, install } = jobsOf('ci.yml')
    expect(commandsOf(tests)).toContain('.ci/run')
    expect(commandsOf(install)).toContain('cp ../.github/use-package.mjs . && node use-package.mjs')
    const script = readFileSync(join(ROOT, '.github/use-package.mjs'), 'utf8')
    expect(runPacked('use-package.mjs', script)).toMatch(/^2 calls over http/)
    const [command] = commandsOf(install).slice(-1)
    const program = join(packed.project, 'node_modules/etn-market/dist/cli.js')
    const args = command?.replace('npx --no-install etn-market ', '').split(' ') ?? []
    expect(execFileSync(process.execPath, [program, ...args], { encoding: 'utf8' })).toContain('25')
  })
})

test('every npm command of CONTRIBUTING exists', () => {
  const text = readFileSync(join(ROOT, '.github/CONTRIBUTING.md'), 'utf8')
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object }
  const named = [...text.matchAll(/`npm (?:run )?([\w:]+)`/g)].map(([, name = '']) => name)
  expect(named).toContain('generate')
  expect(named.filter((name) => !['ci', 'pack', 'login', 'logout', ...Object.keys(scripts)].includes(name))).toEqual([])
})
