import { accessSync, constants, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { replaceFileSync } from '../file-store/replace-file.ts'
import { resolveFile } from '../file-store/resolve-file.ts'
import { usageError } from './failure.ts'
import { reasonOf, requireFile, statPath } from './files.ts'
import type { NamedFile } from './host.ts'

/** Checks that `replaceFileSync` can write a file, without writing it. @throws CommandError naming the option and the file */
export function requireReplaceable(option: string, file: NamedFile): void {
  requireFile(option, file)
  try {
    accessSync(dirname(resolveFile(file.path)), constants.W_OK)
  } catch (error) {
    throw usageError(`${option} ${file.name}: its folder cannot be written (${reasonOf(error)}).`, error)
  }
}

/** As `replaceFileSync` where that is possible. A device, or a file in a folder that cannot be written, is written in place. */
export function writeWhole(path: string, text: string): void {
  const target = resolveFile(path)
  if (statPath(target)?.isFile() !== false && isWritable(dirname(target)))
    replaceFileSync(target, (temporary) => writeFileSync(temporary, text))
  else writeFileSync(target, text)
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}
