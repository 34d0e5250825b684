import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { execOrThrow } from '../support/exec.ts'
import { MATRIX, MODULES, type Project } from '../support/project.ts'
import { NotInstalledError } from '../support/result.ts'
import { versionOf } from '../support/vitest.ts'
import { type ServerProcess, startServer } from './server-process.ts'
import { KEY } from './settings.ts'

/** A server that the proxy runs in. */
export interface ProxyServer {
  readonly name: string
  /** @throws NotInstalledError if it is not installed */
  version(): Promise<string>
  start(project: Project, serviceUrl: string): Promise<ServerProcess>
}

/** Bundles a file of this folder into a project. Packages stay external. */
export async function bundle(project: Project, entry: string, file: string, options: BuildOptions = {}) {
  const outfile = join(project.folder, file)
  await build({
    entryPoints: [join(MATRIX, 'proxy', `${entry}.ts`)],
    tsconfigRaw: {},
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    outfile,
    logLevel: 'silent',
    ...options,
  })
  return outfile
}

/** A process of Node, with a library that turns the proxy into a server. */
function onNode(name: string, library: string, links: readonly string[]): ProxyServer {
  return {
    name: `proxy: ${name} on Node`,
    version: async () => versionOf(library),
    async start(project, serviceUrl) {
      for (const link of links) project.link(link)
      const path = await bundle(project, `serve/${name.toLowerCase()}`, `${name}.mjs`)
      const args = [path, KEY, serviceUrl]
      return startServer({ command: process.execPath, args, cwd: project.folder, end: 'stdin' })
    },
  }
}

/** A runtime with a server of its own. */
function onRuntime(name: string, bin: string, flags: readonly string[], notice?: RegExp): ProxyServer {
  const command = join(MODULES, bin)
  return {
    name: `proxy: ${name}`,
    async version() {
      if (!existsSync(command)) throw new NotInstalledError(`${name} is not installed: npm ci --prefix test/matrix`)
      return /\d+\.\d+\.\d+/.exec(await execOrThrow(command, ['--version']))?.[0] ?? 'unknown'
    },
    async start(project, serviceUrl) {
      const path = await bundle(project, `serve/${name.toLowerCase()}`, `${name}.mjs`)
      const args = [...flags, path, KEY, serviceUrl]
      return startServer({ command, args, cwd: project.folder, end: 'stdin', notice })
    },
  }
}

const DENO_FLAGS = [
  'run',
  '--allow-net=127.0.0.1',
  '--allow-read',
  '--node-modules-dir=manual',
  '--cached-only',
  '--no-prompt',
]

/** Written once by Deno where anybody reads the signal of a request. The proxy does not mind an abort after the answer. */
const DENO_NOTICE = /^Deno\.serve: request\.signal aborts on successful responses.*$/m

export const servers: readonly ProxyServer[] = [
  onNode('Hono', 'hono', ['hono', '@hono/node-server']),
  onNode('Express', 'express', ['express']),
  onNode('srvx', 'srvx', ['srvx']),
  onRuntime('Deno', '@deno/linux-x64-glibc/deno', DENO_FLAGS, DENO_NOTICE),
  onRuntime('Bun', 'bun/bin/bun.exe', ['run']),
]
