import type { TestContext } from 'vitest'
import { type Ended, type RunOptions, run } from './child.ts'

/** Runs a program in Python to its end. Such programs are part of the examples and of the guide; without Python their tests are skipped. */
export async function runPython({ skip }: TestContext, args: readonly string[], options: RunOptions): Promise<Ended> {
  const ended = await run('python3', args, options).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  // A shell that finds no program ends with 127.
  if (ended === undefined || ended.code === 127) return skip('python3 is not installed.')
  return ended
}
