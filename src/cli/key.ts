import { parseEnv } from 'node:util'
import { Interrupted, usageError } from './failure.ts'
import { type NamedFile, readTextFile } from './files.ts'
import type { HostProcess } from './host.ts'

const VARIABLE = 'ETN_MARKET_API_KEY'

/** The API key: from the file that `--key-file` names, from the environment, or from a hidden prompt. */
export async function readKey(host: HostProcess, keyFile: NamedFile | undefined, signal: AbortSignal): Promise<string> {
  const key = keyFile === undefined ? host.env[VARIABLE]?.trim() : readKeyFile(keyFile)
  if (key) return key
  const { stdin: input, stderr: output } = host
  if (!(input.isTTY && output.isTTY))
    throw usageError(`no API key: set ${VARIABLE}, or name a file that holds it with --key-file.`)
  // Loaded when it is needed: most runs ask nothing.
  const { isCancel, password } = await import('@clack/prompts')
  const validate = (value: string | undefined) => (value?.trim() ? undefined : 'The key is empty.')
  const answer = await password({ message: 'API key', mask: '•', input, output, signal, validate })
  if (isCancel(answer)) throw new Interrupted('SIGINT')
  return answer.trim()
}

/** The file holds the bare key, or a line that sets the variable. */
function readKeyFile(file: NamedFile): string {
  const text = readTextFile('--key-file', file).trim()
  const key = text.includes(`${VARIABLE}=`) ? parseEnv(text)[VARIABLE]?.trim() : text
  if (key === undefined || !/^[\x21-\x7e]+$/.test(key))
    throw usageError(`--key-file ${file.name}: it must hold the key alone, or a line ${VARIABLE}=…`)
  return key
}
