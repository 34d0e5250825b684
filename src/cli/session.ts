import { setMaxListeners } from 'node:events'
import { parseEnv } from 'node:util'
import type { Command } from 'commander'
import { type Client, type ClientEvent, type ClientOptions, createClient, type EtnMarketError } from 'etn-market'
import picocolors from 'picocolors'
import type { Colors } from 'picocolors/types'
import { isFinalForKey } from '../errors/api.ts'
import { cleanLine } from '../utils/clean-line.ts'
import { CommandError, EXIT, Interrupted, refusal, SIGNALS, type Signal, usageError } from './failure.ts'
import { type NamedFile, nameFile, readTextFile, reasonOf } from './files.ts'
import type { HostProcess, Output } from './host.ts'
import { formatCount, formatCredits, formatItems } from './output.ts'
import { TerminalDisplay } from './terminal-display.ts'
import { redactKeys, toJson } from './text.ts'

export interface CommonOptions {
  readonly json?: true
  readonly baseUrl?: string
  readonly keyFile?: string
  readonly maxCredits?: number
  readonly yes?: true
}

type SessionClientOptions = Pick<ClientOptions, 'hooks' | 'budget'> & { readonly keyless?: boolean }

interface Spending {
  /** What is bought, as the subject of a sentence. */
  readonly what: string
  readonly min: number
  readonly max: number
  readonly note?: string | undefined
  /** The cost of the smallest part worth having: it begins if the limit covers that. @default max */
  readonly smallest?: number
  readonly limit?: SpendingLimit
}

export interface SpendingLimit {
  readonly credits: number
  /** What allows so many, as the subject of a sentence; such as `--max-credits 7,000`. */
  readonly name: string
  /** What used up the rest of it, such as ` beside the 2,000 of the journal`. */
  readonly beside?: string
}

export function sumCosts(costs: readonly Pick<Spending, 'min' | 'max'>[]): { min: number; max: number } {
  const sum = (of: 'min' | 'max') => costs.reduce((total, cost) => total + cost[of], 0)
  return { min: sum('min'), max: sum('max') }
}

export const isOverLimit = (error: EtnMarketError): boolean => error.name === 'BudgetExceededError'

/** Whether later calls fail in the same way: the key is refused or has no credits left, or a limit is reached. */
export const isForAllCalls = (error: EtnMarketError): boolean =>
  isFinalForKey(error) || error.code === 'client_closed' || isOverLimit(error)

/** Makes an action for commander. With `endsByItself: false` it runs until a signal ends it; the exit code is the session's. */
export function inSession<Options extends CommonOptions, Positional extends unknown[]>(
  host: HostProcess,
  action: (session: Session, options: Options, ...positional: Positional) => Promise<void>,
  { endsByItself = true } = {},
): (...given: unknown[]) => Promise<void> {
  return async (...given) => {
    const options = (given.at(-1) as Command).opts() as Options
    const session = new Session(host, options, endsByItself)
    try {
      await action(session, options, ...(given.slice(0, -2) as Positional))
      if (endsByItself) session.signal.throwIfAborted()
      host.exitCode = session.exitCode
    } catch (error) {
      throw session.signal.aborted ? session.signal.reason : error
    } finally {
      await session.end()
    }
  }
}

/** Above this, in credits, a command asks before it spends. */
const CONFIRMATION_LIMIT = 10_000
/** A program that starts this one may pass on a Ctrl-C that the terminal sends to both. Milliseconds. */
const SAME_PRESS_MS = 500
/** How long what is in flight may take after SIGTERM or SIGHUP. `docker stop` waits 10 seconds. */
const GRACE_MS = 7_000

/** One run of a command: what it prints, the client that it calls with, what it may spend and has spent, and what ends it. */
export class Session {
  readonly host: HostProcess
  readonly options: CommonOptions
  readonly json: boolean
  /** Undefined for that of the public service. */
  readonly baseUrl: string | undefined
  exitCode: number = EXIT.ok
  /** The colours of standard output: for a terminal whose user has not declined them. */
  readonly colors: Colors
  readonly #aborting = new AbortController()
  /** Aborted by Ctrl-C, SIGTERM or SIGHUP, and when nobody reads the output any more. */
  readonly signal = this.#aborting.signal
  readonly #endsByItself: boolean
  #client: Client | undefined
  #closing: Promise<void> | undefined
  #display: TerminalDisplay | undefined
  #signalledAt: number | undefined
  #graceTimer: NodeJS.Timeout | undefined
  readonly #listeners = SIGNALS.map((signal) => [signal, () => this.#onSignal(signal)] as const)
  /** False where the last answer did not state the balance: an earlier one is wrong by now. */
  #isBalanceKnown = true

  constructor(host: HostProcess, options: CommonOptions, endsByItself: boolean) {
    const { stdout, env } = host
    this.host = host
    this.options = options
    this.json = options.json === true
    this.baseUrl = options.baseUrl ?? (env.ETN_MARKET_BASE_URL || undefined)
    this.colors = picocolors.createColors(stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb')
    this.#endsByItself = endsByItself
    // A sweep has a listener for each call in flight.
    setMaxListeners(0, this.signal)
    stdout.on('error', this.#onOutputError)
    for (const [signal, listener] of this.#listeners) host.on(signal, listener)
  }

  /** Prints a text that holds no control characters of others. */
  readonly print = (text: string): void => void this.host.stdout.write(`${text}\n`)

  printJson(value: unknown): void {
    this.print(toJson(value, 2))
  }

  note(text: string): void {
    const print = () => void this.host.stderr.write(`${redactKeys(cleanLine(text))}\n`)
    if (this.#display) this.#display.printAbove(print)
    else print()
  }

  /** Lines that are drawn again and again, one set at a time; undefined where there is no terminal that moves its cursor. */
  startDisplay(stream: Output): TerminalDisplay | undefined {
    const canDraw = stream.isTTY === true && this.host.env.TERM !== 'dumb'
    this.#display = canDraw ? new TerminalDisplay(stream, this.host) : undefined
    return this.#display
  }

  file(name: string): NamedFile {
    return nameFile(this.host.cwd(), name)
  }

  /** The client; made at the first call, which may ask for the key. A wrong key file or address is one line: ask for it first. */
  async client({ keyless = false, hooks, budget }: SessionClientOptions = {}): Promise<Client> {
    const { keyFile } = this.options
    const named = keyFile === undefined ? undefined : this.file(keyFile)
    const apiKey = keyless ? undefined : await readKey(this.host, named, this.signal)
    this.signal.throwIfAborted()
    this.#client ??= createClient({
      apiKey,
      baseUrl: this.baseUrl,
      budget: budget ?? { credits: this.#limit().credits },
      hooks,
      onEvent: (event) => this.#noteEvent(event),
    })
    return this.#client
  }

  #noteEvent(event: ClientEvent): void {
    if (event.type === 'credits.charged' || event.type === 'credits.computed')
      this.#isBalanceKnown = event.remaining !== undefined
    if (event.type === 'credits.drift')
      this.note(
        `warning: ${event.operation} was charged ${formatItems(event.charged, 'credit')}, above the predicted worst case.`,
      )
    if (event.type === 'response.mismatch')
      this.note(`warning: the answer of ${event.operation} does not match the contract; \`verify\` says where.`)
  }

  /** Announces what the command may cost, and asks above 10,000 credits. @throws CommandError if it may not be spent */
  async authorize({ what, min, max, note, smallest = max, limit = this.#limit() }: Spending): Promise<void> {
    const cost = max === 0 ? 'free' : formatCredits(min, max)
    this.note(`${what}: ${cost}${note ? `, ${note}` : ''}.`)
    if (smallest > limit.credits) {
      const reason = `it may cost ${formatItems(smallest, 'credit')}, more than ${limit.name} allows${limit.beside ?? ''}`
      throw refusal(`${what}: ${reason}. Nothing was sent.`, 'budget_exceeded')
    }
    const most = Math.min(max, limit.credits)
    if (this.isAuthorized(most, limit)) return
    const { stdin: input, stderr: output } = this.host
    if (!(input.isTTY && output.isTTY)) {
      const reason = 'need a confirmation, and there is no terminal to ask on: add --yes'
      throw usageError(`${what}: up to ${formatItems(most, 'credit')} ${reason}.`)
    }
    // Loaded when it is needed: most runs ask nothing.
    const { confirm, isCancel } = await import('@clack/prompts')
    const message = `Spend up to ${formatCredits(most)}?`
    const answer = await confirm({ message, initialValue: false, input, output, signal: this.signal })
    if (isCancel(answer)) throw new Interrupted('SIGINT')
    if (!answer) throw refusal('not confirmed. Nothing was sent.', 'not_confirmed')
  }

  /** Whether the command may spend this much in all without another question. */
  isAuthorized(credits: number, limit: SpendingLimit = this.#limit()): boolean {
    return credits <= limit.credits && (this.options.yes === true || credits <= CONFIRMATION_LIMIT)
  }

  #limit(): SpendingLimit {
    const { maxCredits = Number.POSITIVE_INFINITY } = this.options
    return { credits: maxCredits, name: `--max-credits ${formatCount(maxCredits)}` }
  }

  noteWhenAborted(): void {
    const note = () => this.note('Waiting for the calls in flight. Ctrl-C again gives them up.')
    this.signal.addEventListener('abort', note, { once: true })
  }

  /** A disk that is full now may have room later; what runs until it is stopped goes on. */
  readonly #onOutputError = (error: NodeJS.ErrnoException): void => {
    const closed = new CommandError('', 'output_closed', EXIT.ok)
    if (this.#endsByItself || error.code === 'EPIPE') this.#aborting.abort(closed)
    else this.note(`warning: standard output: ${reasonOf(error)}.`)
  }

  /** The first signal ends the command, which waits for the calls in flight; a second one ends the process. */
  #onSignal(signal: Signal): void {
    const now = performance.now()
    const interrupted = new Interrupted(signal)
    if (this.#signalledAt === undefined) {
      this.#signalledAt = now
      this.#aborting.abort(interrupted)
      // What sends a SIGTERM, such as `docker stop`, kills the process a while later: what is in flight then ends with time to spare.
      const giveUp = () => void this.close()
      if (signal !== 'SIGINT') this.#graceTimer = setTimeout(giveUp, this.host.graceMs ?? GRACE_MS)
    } else if (now - this.#signalledAt > SAME_PRESS_MS) {
      this.#display?.end()
      // What is in flight may arrive at the service all the same.
      this.#noteCharges(this.#client?.budget.reserved)
      this.note(`error: ${interrupted.message}`)
      this.host.exit(interrupted.exitCode)
    }
  }

  #noteCharges(inFlight = 0): void {
    if (this.#client === undefined) return
    const { credits, budget } = this.#client
    const uncertain = budget.uncertain + inFlight
    if (credits.charged === 0 && uncertain === 0) return
    const perhaps = uncertain > 0 ? `, and perhaps up to ${formatCount(uncertain)} more for lost answers` : ''
    const isKnown = credits.remaining !== undefined && this.#isBalanceKnown
    const left = isKnown ? ` ${formatCount(credits.remaining)} left.` : ''
    this.note(`Charged: ${formatCredits(credits.charged)}${perhaps}.${left}`)
  }

  /** Closes the client, once: a store that its budget writes to may be closed after that. */
  async close(): Promise<void> {
    this.#closing ??= this.#client?.close()
    await this.#closing
  }

  async end(): Promise<void> {
    clearTimeout(this.#graceTimer)
    await this.close()
    for (const [signal, listener] of this.#listeners) this.host.off(signal, listener)
    this.host.stdout.off('error', this.#onOutputError)
    this.#noteCharges()
  }
}

const KEY_VARIABLE = 'ETN_MARKET_API_KEY'

/** The API key: from the file that `--key-file` names, from the environment, or from a hidden prompt. */
async function readKey(host: HostProcess, keyFile: NamedFile | undefined, signal: AbortSignal): Promise<string> {
  const key = keyFile === undefined ? host.env[KEY_VARIABLE]?.trim() : readKeyFile(keyFile)
  if (key) return key
  const { stdin: input, stderr: output } = host
  if (!(input.isTTY && output.isTTY))
    throw usageError(`no API key: set ${KEY_VARIABLE}, or name a file that holds it with --key-file.`)
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
  const key = text.includes(`${KEY_VARIABLE}=`) ? parseEnv(text)[KEY_VARIABLE]?.trim() : text
  if (key === undefined || !/^[\x21-\x7e]+$/.test(key))
    throw usageError(`--key-file ${file.name}: it must hold the key alone, or a line ${KEY_VARIABLE}=…`)
  return key
}
