import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, preview } from 'vite'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the demo runs. */
    demoUrl: string
    /** The folder of its files. */
    demoFiles: string
  }
}

/** Builds the demo with React's development build, because only that mounts everything twice under StrictMode, and serves it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  delete process.env.ETN_MARKET_API_KEY
  process.env.NODE_ENV = 'development'
  const outDir = mkdtempSync(join(tmpdir(), 'etn-market-dapp-'))
  const options = { mode: 'demo', logLevel: 'error' } as const
  await build({ ...options, build: { outDir, emptyOutDir: true, minify: false } })
  const server = await preview({ ...options, build: { outDir }, preview: { host: '127.0.0.1', port: 0 } })
  const { port } = server.httpServer.address() as AddressInfo
  project.provide('demoUrl', `http://127.0.0.1:${port}/`)
  project.provide('demoFiles', outDir)
  return async () => {
    await server.close()
    rmSync(outDir, { recursive: true })
  }
}
