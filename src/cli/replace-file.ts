import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { usageError } from './failure.ts'
import { reasonOf, requireFile, statPath } from './files.ts'
import type { NamedFile } from './host.ts'

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

/** Checks that `replaceFile` can write a file, without writing it. @throws CommandError naming the option and the file */
export function requireReplaceable(option: string, file: NamedFile): void {
  requireFile(option, file)
  try {
    accessSync(dirname(resolveLinks(file.path)), constants.W_OK)
  } catch (error) {
    throw usageError(`${option} ${file.name}: its folder cannot be written (${reasonOf(error)}).`, error)
  }
}

/**
 * Writes a file anew: `write` makes it under another name. A crash or a full disk leaves the old file or the new one, never a part.
 * Symbolic links and the permissions of the file stay.
 */
export function replaceFile(path: string, write: (temporary: string) => void): void {
  const target = resolveLinks(path)
  const temporary = `${target}.new`
  try {
    write(temporary)
    flush(temporary)
    const mode = statPath(target)?.mode
    if (mode !== undefined) chmodSync(temporary, Number(mode) & 0o7777)
    renameSync(temporary, target)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** As `replaceFile` where that is possible. A device, or a file in a folder that cannot be written, is written in place. */
export function writeWhole(path: string, text: string): void {
  const target = resolveLinks(path)
  if (statPath(target)?.isFile() !== false && isWritable(dirname(target)))
    replaceFile(target, (temporary) => writeFileSync(temporary, text))
  else writeFileSync(target, text)
}

/** The name must not reach the disk before the content. */
function flush(path: string): void {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}
