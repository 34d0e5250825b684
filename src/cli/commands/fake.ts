import { InvalidArgumentError } from 'commander'
import { createFakeService, type FakeService, type FakeServiceOptions } from 'etn-market/fake'
import { isRunning } from '../../file-store/file-lock.ts'
import { tryTo } from '../../utils/runtime.ts'
import { addExample, readCount } from '../common-options.ts'
import { SIGNALS, usageError } from '../failure.ts'
import { nameFile, readTextFile, statOpenFile, tryAccess } from '../files.ts'
import type { HostProcess } from '../host.ts'
import type { AddCommand } from '../program.ts'
import { toJson } from '../text.ts'

interface FakeArguments extends Pick<FakeServiceOptions, 'seed' | 'world' | 'tape' | 'onMissing' | 'maxSnapshots'> {
  port: number
  host: string
  key?: Record<string, number>
  controlToken?: string
  latency?: number
  requestsPerMinute?: number
  exitWithParent?: true
  log?: true
  json?: true
}

/** Adds `etn-market fake`: the fake service as an HTTP server, until a signal ends it. */
export const addCommand: AddCommand = (program, host) => {
  const command = program
    .command('fake')
    .description('Serve the fake service over HTTP. Control it below /_fake.')
    .option('--port <port>', 'port; 0 is a free one', readPort, 4_100)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--seed <seed>', 'determines all data')
    .option('--world <file>', 'JSON file with data of your own', jsonOf('--world', host))
    .option('--tape <file>', 'JSON file with a tape of record()', jsonOf('--tape', host))
    .option('--on-missing <source>', "what answers requests that are not on the tape: 'error' or 'world'")
    .option('--key <name=credits>', 'a key and its credits; can be repeated; without it one is printed', addKey)
    .option('--control-token <token>', 'protects /_fake; also read from ETN_MARKET_CONTROL_TOKEN')
    .option('--latency <ms>', 'delay of every answer', readCount)
    .option('--requests-per-minute <count>', 'limits the calls of each key', readCount)
    .option('--max-snapshots <count>', 'snapshots that /_fake keeps', readCount)
    .option('--exit-with-parent', 'end when the program that started it ends, or when its input ends')
    .option('--log', 'print a line for every request')
    .option('--json', 'print documents, one a line: { url, key }, then { log } for every request with --log')
    .action((given: FakeArguments) => serve(host, given))
  addExample(command, 'fake --port 4100 --key mine=1000000 --log')
}

async function serve(host: HostProcess, given: FakeArguments): Promise<void> {
  const { port, host: hostname, key: keys, latency, requestsPerMinute, exitWithParent, log, json, ...options } = given
  const { controlToken = host.env.ETN_MARKET_CONTROL_TOKEN, ...own } = options
  const print = (text: string, document: object) => void host.stdout.write(`${json ? toJson(document) : text}\n`)
  const fake = createFake({
    ...own,
    ...(keys && { keys }),
    ...(latency !== undefined && { latencyMs: latency }),
    ...(requestsPerMinute !== undefined && { rateLimit: { requests: requestsPerMinute } }),
    ...(log && { log: (line) => print(line, { log: line }) }),
  })
  const { url } = await fake.listen({ port, hostname, ...(controlToken ? { controlToken } : {}) })
  const end = () => void fake.close().then(() => host.exit(0))
  for (const signal of SIGNALS) host.once(signal, end)
  if (exitWithParent) onEndOfParent(end)
  // A key of the user's own is known.
  const key = keys === undefined ? fake.key : undefined
  print(`Listening on ${url}${key === undefined ? '' : `\nKey: ${key}`}`, { url, key })
}

/** What is wrong before it listens is wrong usage. */
function createFake(options: FakeServiceOptions): FakeService {
  try {
    return createFakeService(options)
  } catch (error) {
    throw usageError((error as Error).message, error)
  }
}

function readPort(text: string): number {
  const port = readCount(text)
  if (port <= 65_535) return port
  throw new InvalidArgumentError('It must be a number from 0 to 65535.')
}

function addKey(text: string, keys: Record<string, number> = {}): Record<string, number> {
  const at = text.lastIndexOf('=')
  if (at < 1) throw new InvalidArgumentError('It must be name=credits, for example mine=10000.')
  return { ...keys, [text.slice(0, at)]: readCount(text.slice(at + 1)) }
}

const jsonOf = (option: string, host: HostProcess) => (name: string) =>
  tryAccess(`${option} ${name}`, () => JSON.parse(readTextFile(option, nameFile(host.cwd(), name))))

const CHECK_EVERY_MS = 200

/** Calls back when the parent is gone or has closed the pipe: `npx` ends at a signal without passing it on. */
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
  const input = tryTo(() => statOpenFile(fd))
  return input !== undefined && (input.isFIFO() || input.isSocket())
}
