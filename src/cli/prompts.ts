import { confirm, isCancel, password } from '@clack/prompts'
import { Interrupted } from './failure.ts'

/** Asks for the key. What is typed is not shown. */
export async function askForKey(signal: AbortSignal): Promise<string> {
  const answer = await password({
    message: 'API key',
    mask: '•',
    output: process.stderr,
    signal,
    validate: (value) => (value?.trim() ? undefined : 'The key is empty.'),
  })
  if (isCancel(answer)) throw new Interrupted('SIGINT')
  return answer.trim()
}

/** Asks a question whose answer is yes or no. */
export async function askToConfirm(message: string, signal: AbortSignal): Promise<boolean> {
  const answer = await confirm({ message, initialValue: false, output: process.stderr, signal })
  if (isCancel(answer)) throw new Interrupted('SIGINT')
  return answer
}
