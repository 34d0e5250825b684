import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BENCH, ROOT } from '../support/paths.ts'

/** Below `test/bench`, so that the scripts find the other packages in its `node_modules`. */
const FOLDER = join(BENCH, '.versions')
const SCRIPTS = ['contenders', 'workloads', 'cpu']

/** A built version of the package, and the scripts of the bench that import it. */
export interface Version {
  readonly title: string
  script(path: string): string
}

/** Builds a commit in a folder of its own, and puts it beside the build of the working tree. */
export function buildVersions(ref: string): { before: Version; after: Version; remove(): void } {
  rmSync(FOLDER, { recursive: true, force: true })
  const commit = git('rev-parse', '--short', `${ref}^{commit}`)
  const checkout = mkdtempSync(join(tmpdir(), 'etn-market-bench-'))
  git('worktree', 'add', '--detach', checkout, commit)
  try {
    npm(checkout, 'ci', '--no-audit', '--no-fund')
    npm(checkout, 'run', 'build')
    const before = install(checkout, 'before', commit)
    const after = install(ROOT, 'after', 'working tree')
    return { before, after, remove: () => rmSync(FOLDER, { recursive: true, force: true }) }
  } finally {
    git('worktree', 'remove', '--force', checkout)
  }
}

function install(root: string, name: string, title: string): Version {
  const folder = join(FOLDER, name)
  const target = join(folder, 'node_modules/etn-market')
  mkdirSync(target, { recursive: true })
  for (const part of ['package.json', 'dist']) cpSync(join(root, part), join(target, part), { recursive: true })
  // Those of the working tree for both: only the package differs.
  for (const part of SCRIPTS) cpSync(join(BENCH, part), join(folder, part), { recursive: true })
  return { title, script: (path) => join(folder, path) }
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
}

function npm(folder: string, ...args: string[]): void {
  execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
}
