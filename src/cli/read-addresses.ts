import { existsSync } from 'node:fs'
import { addAbortSignal } from 'node:stream'
import { isAddress } from 'etn-market'
import { usageError } from './failure.ts'
import { readTextFile } from './files.ts'
import type { Session } from './session.ts'

/** Addresses of the command line, each once: an argument is an address, a file with one a line, or `-` for standard input. */
export async function readAddresses(session: Session, args: readonly string[]): Promise<string[]> {
  const lists = await Promise.all(args.map((arg) => readArgument(session, arg)))
  const addresses = [...new Set(lists.flat())]
  if (addresses.length === 0) throw usageError('no addresses: the list is empty.')
  return addresses
}

async function readArgument(session: Session, arg: string): Promise<string[]> {
  if (arg === '-') return checkAll(await readAddressLines(session), 'standard input')
  const file = session.file(arg)
  if (!arg.startsWith('0x') && existsSync(file.path)) return checkAll(splitAddresses(readTextFile('file', file)), arg)
  return [checkAddress(arg, '')]
}

/** The addresses on standard input, one a line. Blank lines and comments after `#` are skipped. */
export async function readAddressLines({ host, signal }: Session): Promise<string[]> {
  if (host.stdin.isTTY) host.stderr.write('Reading addresses, one a line; Ctrl-D ends.\n')
  let text = ''
  for await (const chunk of addAbortSignal(signal, host.stdin)) text += chunk
  return splitAddresses(text)
}

/** The addresses of a text, apart by white space, commas or semicolons. */
export function splitAddresses(text: string): string[] {
  return text
    .replace(/#.*$/gm, '')
    .split(/[\s,;]+/)
    .filter((word) => word !== '')
}

/** @throws CommandError for the first that is none, with its place in the source */
export const checkAll = (addresses: readonly string[], source: string): string[] =>
  addresses.map((address, index) => checkAddress(address, ` (entry ${index + 1} of ${source})`))

function checkAddress(address: string, where: string): string {
  const isValid: boolean = isAddress(address)
  if (isValid) return address
  const rule = /^0x[0-9a-f]{40}$/i.test(address)
    ? 'its EIP-55 checksum is wrong: check the digits, or write it in lower case'
    : 'an address is 0x and 40 hex digits'
  throw usageError(`invalid address ${JSON.stringify(address.slice(0, 80))}${where}: ${rule}.`)
}
