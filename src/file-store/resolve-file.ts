import { readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/**
 * The file that a path leads to, through all symbolic links, also where the file is still to be made. Two names of one file have one result,
 * and what is written there leaves the links as they are.
 * @throws the error of the system if the folder is missing
 */
export function resolveFile(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const target = readLink(path)
  if (target !== undefined) return resolveFile(resolve(dirname(path), target))
  return join(realpathSync(dirname(path)), basename(path))
}

/** Where a symbolic link leads to; undefined for anything else. */
function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
