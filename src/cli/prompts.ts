import { confirm, isCancel, password } from '@clack/prompts'
import { Interrupted } from './failure.ts'
import type { HostProcess } from './host.ts'

/** Asks for the key. What is typed is not shown. */
export async function askForKey({ stdin, stderr }: HostProcess, signal: AbortSignal): Promise<string> {
  const answer = await password({
    message: 'API key',
    mask: '•',
    input: stdin,
    output: stderr,
    signal,
    validate: (value) => (value?.trim() ? undefined : 'The key is empty.'),
  })
  if (isCancel(answer)) throw new Interrupted('SIGINT')
  return answer.trim()
}

/** Asks a question whose answer is yes or no. */
export async function askToConfirm(
  { stdin, stderr }: HostProcess,
  message: string,
  signal: AbortSignal,
): Promise<boolean> {
  const answer = await confirm({ message, initialValue: false, input: stdin, output: stderr, signal })
  if (isCancel(answer)) throw new Interrupted('SIGINT')
  return answer
}
