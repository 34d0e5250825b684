import { spawn } from '@lydell/node-pty'
import { onTestFinished } from 'vitest'
import { within } from '../support/wait.ts'
import { PROGRAM, type Scene } from './program.ts'

/** The built program on a terminal. */
export interface Terminal {
  /** Everything that was shown so far, what was typed included. */
  shown(): string
  type(text: string): void
  /** Sends the program a signal. */
  kill(signal: NodeJS.Signals): void
  /** Waits for the end of the program. */
  ended(): Promise<{ exitCode: number; signal?: number; output: string }>
}

interface TerminalOptions {
  readonly env?: Readonly<Record<string, string>>
  /** @default 120 */
  readonly columns?: number
  /** Gets everything that is shown so far, and returns what is typed next. */
  answer?(shown: string): string | undefined
}

export function openTerminal(
  { folder, env }: Scene,
  args: readonly string[],
  { env: changed, columns = 120, answer = () => undefined }: TerminalOptions = {},
): Terminal {
  const terminal = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: folder,
    env: { ...env, ...changed },
    cols: columns,
    rows: 30,
  })
  onTestFinished(() => terminal.kill('SIGKILL'))
  let output = ''
  const exited = new Promise<{ exitCode: number; signal?: number }>((resolve) => void terminal.onExit(resolve))
  terminal.onData((text) => {
    output += text
    const typed = answer(output)
    if (typed !== undefined) terminal.write(typed)
  })
  return {
    shown: () => output,
    type: (text) => terminal.write(text),
    kill: (signal) => void process.kill(terminal.pid, signal),
    async ended() {
      const ended = await within(`the end of etn-market ${args.join(' ')}`, exited, { state: () => output })
      return { ...ended, output }
    },
  }
}
