import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BENCH, install, ROOT } from './processes.ts'

/** Builds a commit in a folder of its own. It is below `test/bench`, so that it finds the same packages as the working tree. */
export function buildOther(ref: string): { commit: string; folder: string } {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
  const commit = git('rev-parse', '--short', `${ref}^{commit}`)
  const folder = join(BENCH, '.versions', commit)
  const checkout = mkdtempSync(join(tmpdir(), 'etn-market-bench-'))
  git('worktree', 'add', '--detach', checkout, commit)
  try {
    const npm = (...args: string[]) =>
      execFileSync('npm', args, { cwd: checkout, stdio: ['ignore', 'ignore', 'inherit'] })
    npm('ci', '--no-audit', '--no-fund')
    npm('run', 'build')
    install(checkout, folder)
  } finally {
    git('worktree', 'remove', '--force', checkout)
  }
  return { commit, folder }
}
