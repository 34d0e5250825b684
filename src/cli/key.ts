import { parseEnv } from 'node:util'
import { usageError } from './failure.ts'
import { readTextFile } from './files.ts'

const VARIABLE = 'ETN_MARKET_API_KEY'

/**
 * The API key: from the file that `--key-file` names, from the environment, or from a hidden prompt.
 * @throws CommandError if there is none, or if the file holds something else
 */
export async function readKey(keyFile: string | undefined, signal: AbortSignal): Promise<string> {
  const key = keyFile === undefined ? process.env[VARIABLE]?.trim() : readKeyFile(keyFile)
  if (key) return key
  const isTerminal = process.stdin.isTTY && process.stderr.isTTY
  if (!isTerminal) throw usageError(`no API key: set ${VARIABLE}, or name a file that holds it with --key-file.`)
  const { askForKey } = await import('./prompts.ts')
  return askForKey(signal)
}

/** The file holds the bare key, or a line that sets the variable. */
function readKeyFile(path: string): string {
  const text = readTextFile('--key-file', path).trim()
  const key = text.includes(`${VARIABLE}=`) ? parseEnv(text)[VARIABLE]?.trim() : text
  if (key === undefined || !/^[\x21-\x7e]+$/.test(key))
    throw usageError(`--key-file ${path}: it must hold the key alone, or a line ${VARIABLE}=…`)
  return key
}
