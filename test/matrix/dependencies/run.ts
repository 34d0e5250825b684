import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { check } from '../scenario/check.ts'
import { exec, tail } from '../support/exec.ts'
import { MATRIX, MODULES, type Project } from '../support/project.ts'
import { attempt, NotInstalledError, type Result } from '../support/result.ts'

/** Both ends of the ranges in package.json, on the oldest Node that is promised: ky 2 and p-retry 8 need a newer one. */
const ENDS = [
  { name: 'Dependencies, oldest', node: 'node20', versions: { ky: '1.14.3', 'p-retry': '7.1.1', zod: '4.0.0' } },
  { name: 'Dependencies, newest', node: 'node20', versions: { ky: '1.14.3', 'p-retry': '7.1.1', zod: '4.6.7' } },
]

/** What `scenario.mjs` finds, the same with all of them. */
const EXPECTED = {
  retried: {
    seen: [
      ['token.price', '1', '1'],
      [500, 1, 'object'],
      ['token.price', '1', '2'],
      [200, 2, 'object'],
    ],
    address: '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1',
    attempts: 2,
    charged: 50,
  },
  replaced: {
    data: { usd: 9, etn: '1' },
    later: [],
    own: [7, 0, 0],
    refused: ['hook_failed', 'none'],
    failed: ['hook_failed', 25, 1],
  },
  aborted: ['enough', true],
  broken: ['ConnectionError', 2, 'unknown', true],
  explained: { error: ['ResponseError', ['data.usd', 'data.etn']], schema: [false, true] },
}

/** Uses the packed package with the oldest and the newest versions of its dependencies. */
export async function runDependencies(
  createProject: (name: string) => Project,
  isWanted: (name: string) => boolean,
  addResult: (result: Result) => void,
): Promise<void> {
  for (const { name, node, versions } of ENDS.filter(({ name }) => isWanted(name))) {
    addResult(await attempt(name, () => runWith(createProject(name.replaceAll(/\W+/g, '-')), node, versions)))
  }
}

async function runWith(project: Project, node: string, versions: Record<string, string>) {
  const wanted = Object.entries(versions)
  for (const [name, version] of wanted) project.link(name, `${name}-${version}`)
  const used = wanted.map(([name]) => [name, versionOf(project, name)])
  check('versions', Object.fromEntries(used), versions)
  project.write('scenario.mjs', readFileSync(join(MATRIX, 'dependencies/scenario.mjs'), 'utf8'))
  const command = join(MODULES, node, 'bin/node')
  const { code, stdout, stderr } = await exec(command, ['scenario.mjs'], { cwd: project.folder, limitMs: 60_000 })
  if (code !== 0 || stderr !== '') throw new Error(`exited with ${code}: ${tail(stdout + stderr)}`)
  check('what the client does', JSON.parse(stdout), EXPECTED)
  const list = used.map(([name, version]) => `${name} ${version}`).join(', ')
  return { version: node, detail: `${list}: a retry, hooks, an abort, a broken connection, an explained answer` }
}

function versionOf(project: Project, name: string): string {
  try {
    return JSON.parse(project.read(`node_modules/${name}/package.json`)).version
  } catch {
    throw new NotInstalledError('not installed: npm ci --prefix test/matrix')
  }
}
