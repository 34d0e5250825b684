import { readFileSync } from 'node:fs'
import { createFakeService, type FakeService, type FakeServiceOptions } from 'etn-market/fake'
import { isRunning } from '../../file-store/file-lock.ts'
import { addExample } from '../common-options.ts'
import { usageError } from '../failure.ts'
import { nameFile, statOpenFile } from '../files.ts'
import type { HostProcess } from '../host.ts'
import type { AddCommand } from '../program.ts'
import { toJsonLine } from '../text.ts'

/** The options of `etn-market fake`, as they stand on the command line. */
interface FakeArguments {
  port: string
  host: string
  seed?: string
  world?: string
  tape?: string
  onMissing?: 'error' | 'world'
  key?: string[]
  controlToken?: string
  latency?: string
  requestsPerMinute?: string
  maxSnapshots?: string
  exitWithParent?: boolean
  log?: boolean
  json?: boolean
}

/** Adds `etn-market fake`: the fake service as an HTTP server, until SIGINT or SIGTERM. */
export const addCommand: AddCommand = (program, host) => {
  const command = program
    .command('fake')
    .description('Serve the fake service over HTTP. Control it below /_fake.')
    .option('--port <port>', 'port; 0 is a free one', '4100')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--seed <seed>', 'determines all data')
    .option('--world <file>', 'JSON file with data of your own')
    .option('--tape <file>', 'JSON file that record() wrote')
    .option('--on-missing <source>', "what answers requests that are not on the tape: 'error' or 'world'")
    .option('--key <name=credits>', 'a key and its credits; can be repeated; without it one is printed', collect)
    .option('--control-token <token>', 'protects /_fake; also read from ETN_MARKET_CONTROL_TOKEN')
    .option('--latency <ms>', 'delay of every answer')
    .option('--requests-per-minute <count>', 'limits the calls of each key')
    .option('--max-snapshots <count>', 'snapshots that /_fake keeps')
    .option('--exit-with-parent', 'end when the program that started it ends, or when its input ends')
    .option('--log', 'print a line for every request')
    .option('--json', 'print documents, one a line: { url, key }, then { log } for every request with --log')
    .action((given: FakeArguments) => serve(host, given))
  addExample(command, 'fake --port 4100 --key mine=1000000 --log')
}

async function serve(host: HostProcess, given: FakeArguments): Promise<void> {
  const { fake, port } = prepare(host, given)
  const controlToken = given.controlToken ?? host.env.ETN_MARKET_CONTROL_TOKEN
  const { url } = await fake.listen({ port, hostname: given.host, ...(controlToken ? { controlToken } : {}) })
  const end = () => void fake.close().then(() => host.exit(0))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) host.once(signal, end)
  if (given.exitWithParent) onEndOfParent(end)
  // A key of the user's own is known.
  const key = given.key === undefined ? fake.key : undefined
  if (given.json) host.stdout.write(`${toJsonLine({ url, key })}\n`)
  else host.stdout.write(`Listening on ${url}\n${key === undefined ? '' : `Key: ${key}\n`}`)
}

/** What is wrong before it listens is wrong usage. */
function prepare(host: HostProcess, given: FakeArguments): { fake: FakeService; port: number } {
  try {
    const port = readNumber('--port', given.port)
    if (port > 65_535) throw new Error(`--port is a number from 0 to 65535, not ${given.port}.`)
    return { fake: createFakeService(readOptions(host, given)), port }
  } catch (error) {
    throw usageError((error as Error).message, error)
  }
}

function readOptions(host: HostProcess, given: FakeArguments): FakeServiceOptions {
  const readCount = (option: string, text?: string) => (text === undefined ? undefined : readNumber(option, text))
  const requests = readCount('--requests-per-minute', given.requestsPerMinute)
  const log = (line: string) => void host.stdout.write(`${given.json ? toJsonLine({ log: line }) : line}\n`)
  const options = {
    seed: given.seed,
    world: readJson(host, '--world', given.world),
    tape: readJson(host, '--tape', given.tape),
    onMissing: given.onMissing,
    keys: given.key && Object.fromEntries(given.key.map(readKey)),
    latencyMs: readCount('--latency', given.latency),
    rateLimit: requests === undefined ? undefined : { requests },
    maxSnapshots: readCount('--max-snapshots', given.maxSnapshots),
    log: given.log ? log : undefined,
  }
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

function readKey(text: string): [key: string, credits: number] {
  const at = text.lastIndexOf('=')
  if (at < 1) throw new Error(`--key is name=credits, for example mine=10000, not ${JSON.stringify(text)}.`)
  return [text.slice(0, at), readNumber('the credits of --key', text.slice(at + 1))]
}

function readNumber(name: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text)
  throw new Error(`${name} is a whole number, not ${JSON.stringify(text)}.`)
}

function readJson(host: HostProcess, option: string, name: string | undefined): unknown {
  if (name === undefined) return undefined
  try {
    return JSON.parse(readFileSync(nameFile(host.cwd(), name).path, 'utf8'))
  } catch (error) {
    const { message } = error as Error
    throw new Error(`${option} ${name}: ${message}`, { cause: error })
  }
}

function collect(value: string, values: string[] = []): string[] {
  return [...values, value]
}

const CHECK_EVERY_MS = 200

/**
 * Calls back when the program that started this one is gone, or has closed the pipe to its standard input. `npx` ends at a signal without
 * passing it on, so that a server behind it would stay.
 */
function onEndOfParent(callback: () => void): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent && isRunning(parent)) return
    clearInterval(timer)
    callback()
  }, CHECK_EVERY_MS)
  timer.unref()
  if (isPipe(process.stdin.fd)) process.stdin.once('end', callback).once('error', callback).resume()
}

/** A terminal belongs to the user, and `/dev/null` is at its end from the start. */
function isPipe(fd: number): boolean {
  try {
    const input = statOpenFile(fd)
    return input.isFIFO() || input.isSocket()
  } catch {
    return false
  }
}
