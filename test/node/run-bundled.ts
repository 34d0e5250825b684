import { buildSync } from 'esbuild'
import { run } from '../support/child.ts'

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
  const options = { cwd: ROOT, ...(file && { input: file.text }) }
  const { code, stdout, stderr } = await run(process.execPath, ['--input-type=module', '-', ...args], options)
  if (code !== 0) throw new Error(`The script ended with ${code}: ${stderr}`)
  return stdout
}
