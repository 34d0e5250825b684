import {
  accessSync,
  type BigIntStats,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdtempSync,
  readFileSync,
  readSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { isWritable, replaceFileSync, resolveFile } from '../file-store/replace-file.ts'
import { tryTo } from '../utils/runtime.ts'
import { CommandError, EXIT, usageError } from './failure.ts'

export interface NamedFile {
  /** As it was written, for messages. */
  readonly name: string
  /** Absolute. */
  readonly path: string
}

export const nameFile = (folder: string, name: string): NamedFile => ({ name, path: resolve(folder, name) })

/** The text of a file, in UTF-8, or in UTF-16 as PowerShell writes it. @throws CommandError naming the option and the file */
export function readTextFile(option: string, { name, path }: NamedFile): string {
  return tryAccess(`${option} ${name}`, () => {
    const bytes = readFileSync(path)
    const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
    return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes)
  })
}

/** What `access` returns. @throws CommandError with the reason of the system, or that of `access` */
export function tryAccess<T>(what: string, access: () => T): T {
  try {
    return access()
  } catch (error) {
    throw error instanceof CommandError ? error : usageError(`${what}: ${reasonOf(error)}.`, error)
  }
}

type FileUse = 'written' | 'appended' | 'replaced'

/** Checks that a file can be written, without writing it. One that is appended to or replaced is no device and no pipe. */
export function requireWritable(option: string, { name, path }: NamedFile, how: FileUse = 'written'): void {
  const what = `${option} ${name}`
  tryAccess(what, () => {
    const found = statPath(path)
    if (found?.isDirectory()) throw usageError(`${what}: it is a folder.`)
    // A link may lead to a file that is still to be made.
    accessSync(found === undefined ? dirname(resolveFile(path)) : path, constants.W_OK)
    if (how !== 'written' && found?.isFile() === false)
      throw usageError(`${what}: it is a device or a pipe. Name a file.`)
    if (how === 'replaced' && !isWritable(dirname(resolveFile(path))))
      throw usageError(`${what}: its folder cannot be written (${DENIED}).`)
  })
}

/**
 * What a path leads to; undefined if that is nothing. With plain numbers, Node 20 keeps what it saw of a pipe, and from then on resolves no
 * symbolic links of packages that it imports.
 */
export function statPath(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })
}

export function statOpenFile(descriptor: number): BigIntStats {
  return fstatSync(descriptor, { bigint: true })
}

const DENIED = 'permission denied'
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: DENIED,
  EPERM: DENIED,
  EROFS: DENIED,
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is no folder',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be too large',
  ELOOP: 'its links go in a circle',
}

export function reasonOf(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  return REASONS[code] ?? message
}

/** As `replaceFileSync` where that is possible. A device, or a file in a folder that cannot be written, is written in place. */
export function writeWhole(path: string, text: string): void {
  const target = resolveFile(path)
  if (statPath(target)?.isFile() !== false && isWritable(dirname(target)))
    replaceFileSync(target, (temporary) => writeFileSync(temporary, text))
  else writeFileSync(target, text)
}

/** Appends a line whole or not at all, and not to half a line of a crash. The descriptor is of a file that can be read, too. */
export function appendLine(descriptor: number, line: string, { isSynced = false } = {}): void {
  const found = statOpenFile(descriptor)
  const size = Number(found.size)
  const last = Buffer.from('\n')
  if (found.isFile() && size > 0) readSync(descriptor, last, 0, 1, size - 1)
  try {
    // Unlike `writeSync`, it goes on where the system takes a part only.
    writeFileSync(descriptor, `${last.toString() === '\n' ? '' : '\n'}${line}\n`)
    if (isSynced) fsyncSync(descriptor)
  } catch (error) {
    if (found.isFile()) ftruncateSync(descriptor, size)
    throw error
  }
}

/** Saves what was paid for. Where `save` fails, it goes to a temporary file called `name`, else into the error. */
export function savePaidFor(what: string, name: string, text: string, save: () => void): void {
  try {
    save()
  } catch (error) {
    throw keepElsewhere(`${what}: ${reasonOf(error)}.`, name, text)
  }
}

/** Keeps what was paid for where there is room, and makes the error that says where it is: `savedTo` is a file, `content` the text itself. */
export function keepElsewhere(problem: string, name: string, content: string): CommandError {
  const savedTo = saveTemporarily(name, content)
  const message = `${problem} What was paid for is ${savedTo === undefined ? 'on standard output.' : `in ${savedTo}`}`
  const details = savedTo === undefined ? { content } : { savedTo }
  return new CommandError(message, 'not_written', EXIT.refused, undefined, details)
}

/** Saves a text in a new folder, which no other user can read. Returns its path, or undefined where there is no room either. */
export function saveTemporarily(name: string, content: string): string | undefined {
  return tryTo(() => {
    const path = join(mkdtempSync(join(tmpdir(), 'etn-market-')), basename(name))
    writeFileSync(path, content)
    return path
  })
}
