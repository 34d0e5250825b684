import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { execOrThrow } from '../support/exec.ts'
import { MODULES, type Project, ROOT } from '../support/project.ts'
import { type Check, NotInstalledError, versionOf } from '../support/result.ts'

/** How each installs a tarball, and refuses what does not accept the Node that runs. */
const MANAGERS = {
  npm: {
    cli: undefined,
    args: ['install', '--engine-strict', '--no-audit', '--no-fund', '--omit=peer'],
    file: '.npmrc',
    settings: 'engine-strict=true',
  },
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
export const managers = (Object.keys(MANAGERS) as (keyof typeof MANAGERS)[]).map(
  (name): Check => ({
    name: `${name} on the oldest Node`,
    run: (installed) => install(name, installed.project(`manager ${name}`), installed.tarball),
  }),
)

async function install(name: keyof typeof MANAGERS, project: Project, tarball: string) {
  const { cli, args, file, settings } = MANAGERS[name]
  if (cli !== undefined) versionOf(cli.split('/')[0] ?? '')
  const bin = join(MODULES, 'node20/bin')
  const node = join(bin, 'node')
  const folder = join(project.folder, 'user')
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
  // Programs that a package manager starts run on the same Node.
  const options = { cwd: folder, env: { PATH: `${bin}${delimiter}${process.env.PATH}` }, limitMs: 300_000 }
  const version = (await execOrThrow(node, ['--version'], options)).trim()
  await execOrThrow(node, [cli === undefined ? npmOf() : join(MODULES, cli), ...args], options)
  writeFileSync(join(folder, 'use.mjs'), readFileSync(join(ROOT, '.github/use-package.mjs'), 'utf8'))
  await execOrThrow(node, ['use.mjs'], options)
  return { version, detail: `${args[0]} with strict engines; ES modules and CommonJS call the fake` }
}

function npmOf(): string {
  const path = process.env.npm_execpath
  if (path === undefined) throw new NotInstalledError('run it by npm: npm run test:matrix')
  return path
}
