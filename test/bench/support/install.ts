import { cpSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { BENCH, ROOT } from './paths.ts'

/** Copies the built package to where the clients import it from. A later build does not change a run. */
export function install(): void {
  const target = join(BENCH, 'node_modules/etn-market')
  if (!existsSync(join(ROOT, 'dist'))) throw new Error('dist is missing: npm run build.')
  if (!existsSync(join(BENCH, 'node_modules'))) throw new Error('node_modules is missing: npm ci --prefix test/bench.')
  rmSync(target, { recursive: true, force: true })
  for (const part of ['package.json', 'dist']) cpSync(join(ROOT, part), join(target, part), { recursive: true })
}
