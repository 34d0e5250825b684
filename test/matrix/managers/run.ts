import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { versionOfProgram } from '../runtimes/processes.ts'
import { execOrThrow } from '../support/exec.ts'
import { MODULES, onOldestNode, ROOT } from '../support/project.ts'
import type { Check } from '../support/result.ts'

/** How the others install a tarball, and refuse what does not accept the Node that runs. npm has installed it for all checks. */
const OTHERS = {
  pnpm: {
    cli: 'pnpm/bin/pnpm.cjs',
    args: ['install', '--ignore-scripts', '--no-frozen-lockfile'],
    file: '.npmrc',
    settings: 'engine-strict=true\nauto-install-peers=false',
  },
  'yarn 1': {
    cli: 'yarn/bin/yarn.js',
    args: ['install', '--ignore-scripts', '--non-interactive', '--no-lockfile'],
    file: '.yarnrc',
    settings: '',
  },
}

/** Installs the packed package with each package manager on the oldest Node that is promised, and calls the fake with it. */
export const managers: readonly Check[] = [
  { name: 'npm on the oldest Node', run: (installed) => callFake(installed.project('manager npm').folder) },
  ...(Object.keys(OTHERS) as (keyof typeof OTHERS)[]).map(
    (name): Check => ({
      name: `${name} on the oldest Node`,
      async run({ tarball, project }) {
        const folder = join(project(`manager ${name}`).folder, 'user')
        await install(name, folder, tarball)
        return callFake(folder)
      },
    }),
  ),
]

async function install(name: keyof typeof OTHERS, folder: string, tarball: string): Promise<void> {
  const { cli, args, file, settings } = OTHERS[name]
  mkdirSync(folder)
  const manifest = {
    name: 'user',
    version: '1.0.0',
    private: true,
    type: 'module',
    dependencies: { 'etn-market': `file:${tarball}` },
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(folder, file), settings)
  const options = { cwd: folder, env: onOldestNode, limitMs: 300_000 }
  await execOrThrow('node', [join(MODULES, cli), ...args], options)
}

async function callFake(folder: string) {
  const version = await versionOfProgram('node20/bin/node')
  copyFileSync(join(ROOT, '.github/use-package.mjs'), join(folder, 'use.mjs'))
  await execOrThrow('node', ['use.mjs'], { cwd: folder, env: onOldestNode })
  return { version, detail: 'strict engines; ES modules and CommonJS call the fake' }
}
