import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { chmod, open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { tryTo } from '../utils/runtime.ts'

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL

/**
 * Writes a file, whole or not at all: a crash leaves the old text or the new one. When it resolves, the text is on the disk. The file keeps
 * its mode, and a symbolic link stays one.
 * @throws the error of the system; the old file is then as it was
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const target = resolveFile(path)
  const temporary = `${target}.new`
  // What a crash has left. A link that somebody has put there is removed, too, and never written through.
  await rm(temporary, { force: true })
  try {
    const old = await stat(target).catch(() => undefined)
    const file = await open(temporary, NEW_FILE | (isRestricted() ? constants.O_SYNC : 0))
    try {
      if (old !== undefined) await chmod(temporary, old.mode & 0o7777)
      await file.writeFile(text)
      if (!isRestricted()) await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    throw error
  }
  try {
    // Without it a power failure may bring the old file back.
    const folder = await open(dirname(target), 'r')
    await folder.sync().finally(() => folder.close())
  } catch {
    // Some systems cannot open a folder. The new file is complete in any case.
  }
}

/**
 * The same for a program that has nothing else to do meanwhile. `write` makes the file under another name.
 * @throws the error of the system, or that of `write`; the old file is then as it was
 */
export function replaceFileSync(path: string, write: (temporary: string) => void): void {
  const target = resolveFile(path)
  const temporary = `${target}.new`
  rmSync(temporary, { force: true })
  try {
    write(temporary)
    syncPath(temporary, 'r+')
    const mode = statSync(target, { throwIfNoEntry: false })?.mode
    if (mode !== undefined) chmodSync(temporary, mode & 0o7777)
    renameSync(temporary, target)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
  // As in `replaceFile`.
  tryTo(() => syncPath(dirname(target), 'r'))
}

/** Whether Node's permission model is on. It refuses `fchmod` and `fsync`; what is written with `O_SYNC` is on the disk without them. */
const isRestricted = (): boolean => process.permission !== undefined

function syncPath(path: string, flags: 'r' | 'r+'): void {
  if (!isRestricted()) withFile(path, flags, fsyncSync)
}

export function withFile<T>(path: string, flags: 'r' | 'r+' | 'a+', use: (descriptor: number) => T): T {
  const descriptor = openSync(path, flags)
  try {
    return use(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

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
  const isLink = lstatSync(path, { bigint: true, throwIfNoEntry: false })?.isSymbolicLink()
  if (isLink) return resolveFile(resolve(dirname(path), readlinkSync(path)))
  return join(realpathSync(dirname(path)), basename(path))
}

export const isWritable = (folder: string): boolean =>
  tryTo(() => {
    accessSync(folder, constants.W_OK)
    return true
  }) ?? false
