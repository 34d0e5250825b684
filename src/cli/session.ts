import { setMaxListeners } from 'node:events'
import type { Command } from 'commander'
import { type Budget, type Client, type ClientEvent, createClient, type Hooks } from 'etn-market'
import picocolors from 'picocolors'
import { EXIT, Interrupted, OutputClosed } from './failure.ts'
import { reasonOf } from './files.ts'
import { type HostProcess, type NamedFile, nameFile, type Output } from './host.ts'
import { readKey } from './key.ts'
import { createLiveLines, type LiveLines } from './live-lines.ts'
import { type Colors, formatCount, formatCredits } from './output.ts'
import { cleanLine, redactKeys, toJson } from './text.ts'

/** The options that every command shares. */
export interface CommonOptions {
  readonly json?: true
  readonly baseUrl?: string
  readonly keyFile?: string
  readonly maxCredits?: number
  readonly yes?: true
}

/** One run of a command: what it prints, the client that it calls with, and what ends it. */
export interface Session {
  readonly host: HostProcess
  readonly json: boolean
  /** Aborted by Ctrl-C, by SIGTERM, and when nobody reads the output any more. */
  readonly signal: AbortSignal
  /** The colours of standard output. */
  readonly colors: Colors
  /** Prints a text that holds no control characters of others. */
  print(text: string): void
  printJson(value: unknown): void
  /** Prints a line on standard error, above live lines. */
  note(text: string): void
  /** Lines that are drawn again and again. A program has one set of them at a time. */
  startLiveLines(stream: Output): LiveLines
  /** The file that an option or an argument names. */
  file(name: string): NamedFile
  /**
   * The client; made at the first call, which may ask for the key. `keyless` makes one without a key. Ask for it before anything is
   * printed: a wrong key file or address is one line.
   */
  client(options?: SessionClientOptions): Promise<Client>
}

/** What a command wants of its client. */
interface SessionClientOptions {
  readonly keyless?: boolean
  readonly hooks?: Hooks
  /** @default one of `--max-credits` for this run */
  readonly budget?: Budget
  onEvent?(event: ClientEvent): void
}

/** The action of a command. Its result is the exit code; without one it is 0. */
type Action<Options, Positional extends unknown[]> = (
  session: Session,
  options: Options,
  ...positional: Positional
) => Promise<number | undefined>

/**
 * Makes an action for commander from one that works in a session. A command with `endsByItself: false` runs until a signal ends it. The exit
 * code is then its result, not that of the signal.
 */
export function inSession<Options extends CommonOptions, Positional extends unknown[]>(
  host: HostProcess,
  action: Action<Options, Positional>,
  { endsByItself = true } = {},
): (...given: unknown[]) => Promise<void> {
  return async (...given) => {
    const command = given.at(-1) as Command
    const options = command.opts() as Options
    const { session, end } = startSession(host, options, endsByItself)
    try {
      host.exitCode = (await action(session, options, ...(given.slice(0, -2) as Positional))) ?? EXIT.ok
      if (endsByItself) session.signal.throwIfAborted()
    } catch (error) {
      throw session.signal.aborted ? session.signal.reason : error
    } finally {
      await end()
    }
  }
}

function startSession(
  host: HostProcess,
  options: CommonOptions,
  endsByItself: boolean,
): { session: Session; end(): Promise<void> } {
  const controller = new AbortController()
  // A sweep has a listener for each call in flight.
  setMaxListeners(0, controller.signal)
  // A disk that is full now may have room later; what runs until it is stopped goes on.
  const onOutputError = (error: NodeJS.ErrnoException) => {
    if (endsByItself || error.code === 'EPIPE') controller.abort(new OutputClosed())
    else session.note(`warning: standard output: ${reasonOf(error)}.`)
  }
  host.stdout.on('error', onOutputError)
  const stopSignals = watchSignals(host, onSignal, giveUp)
  let graceTimer: NodeJS.Timeout | undefined
  let client: Client | undefined
  let live: LiveLines | undefined
  /** False where the last answer did not state the balance: an earlier one is wrong by now. */
  let isBalanceKnown = true

  /** What sends a SIGTERM, such as `docker stop`, kills the process a while later: what is in flight then ends with time to spare. */
  function onSignal(signal: Signal): void {
    controller.abort(new Interrupted(signal))
    if (signal === 'SIGTERM') graceTimer = setTimeout(() => void client?.close(), host.graceMs ?? GRACE_MS)
  }

  /** Ends the process without waiting for the calls in flight. */
  function giveUp(signal: Signal): void {
    live?.end()
    // What is in flight may arrive at the service all the same.
    if (client) noteCharges(client, client.budget.uncertain + client.budget.reserved)
    const { message, exitCode } = new Interrupted(signal)
    session.note(`error: ${message}`)
    host.exit(exitCode)
  }

  const session: Session = {
    host,
    json: options.json === true,
    signal: controller.signal,
    colors: picocolors.createColors(hasColors(host)),
    print: (text) => void host.stdout.write(`${text}\n`),
    printJson: (value) => void host.stdout.write(`${toJson(value)}\n`),
    note(text) {
      const print = () => void host.stderr.write(`${redactKeys(cleanLine(text))}\n`)
      if (live) live.printAbove(print)
      else print()
    },
    startLiveLines(stream) {
      const lines = createLiveLines(stream, host)
      const end = () => {
        live = undefined
        lines.end()
      }
      live = { ...lines, end }
      return live
    },
    file: (name) => nameFile(host, name),
    async client({ keyless = false, hooks, budget, onEvent } = {}) {
      const apiKey = keyless ? undefined : await readKey(host, options.keyFile, controller.signal)
      controller.signal.throwIfAborted()
      client ??= createClient({
        apiKey,
        baseUrl: options.baseUrl ?? (host.env.ETN_MARKET_BASE_URL || undefined),
        budget: budget ?? { credits: options.maxCredits ?? Number.POSITIVE_INFINITY },
        hooks,
        onEvent(event) {
          if (event.type === 'credits.charged' || event.type === 'credits.computed')
            isBalanceKnown = event.remaining !== undefined
          noteEvent(session, event)
          onEvent?.(event)
        },
      })
      return client
    },
  }

  /** @param uncertain credits of calls whose answer is lost */
  function noteCharges({ credits: { charged, remaining } }: Client, uncertain: number): void {
    if (charged === 0 && uncertain === 0) return
    const perhaps = uncertain > 0 ? `, and perhaps up to ${formatCount(uncertain)} more for lost answers` : ''
    const left = remaining === undefined || !isBalanceKnown ? '' : ` ${formatCount(remaining)} left.`
    session.note(`Charged: ${formatCredits(charged)}${perhaps}.${left}`)
  }

  async function end(): Promise<void> {
    clearTimeout(graceTimer)
    await client?.close()
    stopSignals()
    host.stdout.off('error', onOutputError)
    if (client) noteCharges(client, client.budget.uncertain)
  }
  return { session, end }
}

/** Colours are for a terminal whose user has not declined them. */
function hasColors({ stdout, env }: HostProcess): boolean {
  return stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'
}

/** Prints what else concerns the user's money or data. */
function noteEvent(session: Session, event: ClientEvent): void {
  if (event.type === 'credits.drift')
    session.note(`warning: ${event.operation} was charged ${event.charged} credits, above the predicted worst case.`)
  if (event.type === 'response.mismatch')
    session.note(`warning: the answer of ${event.operation} does not match the contract; \`verify\` says where.`)
}

type Signal = 'SIGINT' | 'SIGTERM'

const SIGNALS: readonly Signal[] = ['SIGINT', 'SIGTERM']
/** A program that starts this one may pass on a Ctrl-C that the terminal sends to both. Milliseconds. */
const SAME_PRESS_MS = 500
/** How long what is in flight may take after SIGTERM. `docker stop` waits 10 seconds. */
const GRACE_MS = 7_000

/** Calls `onFirst` at the first signal, and `onSecond` at one that is not the same press of Ctrl-C. Returns what ends this. */
export function watchSignals(
  host: HostProcess,
  onFirst: (signal: Signal) => void,
  onSecond: (signal: Signal) => void,
): () => void {
  let firstAt: number | undefined
  const listeners = SIGNALS.map((signal) => {
    const listener = () => {
      const now = performance.now()
      if (firstAt === undefined) {
        firstAt = now
        onFirst(signal)
      } else if (now - firstAt > SAME_PRESS_MS) onSecond(signal)
    }
    host.on(signal, listener)
    return { signal, listener }
  })
  return () => {
    for (const { signal, listener } of listeners) host.off(signal, listener)
  }
}
