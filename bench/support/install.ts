import { cpSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { BENCH, ROOT } from './paths.ts'

/** Puts the built package where every client finds its own, so that another build meanwhile changes nothing. */
export function install(): void {
  const place = join(BENCH, 'node_modules/etn-market')
  if (!existsSync(join(ROOT, 'dist'))) throw new Error('There is no dist: npm run build.')
  if (!existsSync(join(BENCH, 'node_modules'))) throw new Error('There are no peers: npm ci --prefix bench.')
  rmSync(place, { recursive: true, force: true })
  for (const part of ['package.json', 'dist']) cpSync(join(ROOT, part), join(place, part), { recursive: true })
}
