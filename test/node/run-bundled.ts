import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { buildSync } from 'esbuild'

const ROOT = new URL('../../', import.meta.url).pathname

/** Bundles a script that imports the sources by `./src/…`, runs it in a process of its own, and returns what it prints. */
export async function runBundled(contents: string, args: readonly string[]): Promise<string> {
  const [file] = buildSync({
    stdin: { contents, resolveDir: ROOT },
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    packages: 'external',
    write: false,
  }).outputFiles
  const running = promisify(execFile)(process.execPath, ['--input-type=module', '-', ...args], { cwd: ROOT })
  running.child.stdin?.end(file?.text)
  return (await running).stdout
}
