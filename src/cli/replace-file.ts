import {
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Linux follows as many. */
const MAX_LINKS = 40

/** The file at the end of symbolic links, which does not have to exist. @throws the error of the system, for links in a circle too */
export function resolveLinks(path: string): string {
  let target = path
  for (let links = 0; links < MAX_LINKS; links++) {
    try {
      return realpathSync(target)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      const next = readLink(target)
      if (next === undefined) return target
      target = resolve(dirname(target), next)
    }
  }
  return realpathSync(path)
}

/**
 * Writes a file anew. A crash or a full disk leaves the old file or the new one, never a part. Symbolic links and the permissions of the
 * file stay.
 */
export function replaceFile(path: string, content: string | Uint8Array): void {
  const target = resolveLinks(path)
  const temporary = `${target}.new`
  try {
    const file = openSync(temporary, 'w')
    try {
      writeFileSync(file, content)
      // The name must not reach the disk before the content.
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    const mode = statSync(target, { throwIfNoEntry: false })?.mode
    if (mode !== undefined) chmodSync(temporary, mode & 0o7777)
    renameSync(temporary, target)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
