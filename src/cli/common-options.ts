import { type Command, InvalidArgumentError } from 'commander'
import { DAY_MS, parseDuration } from '../utils/time-units.ts'

/** The options of a command that calls the service, within a limit of its own. */
export function addServiceOptions(command: Command, maxCredits = 'the most that may be charged'): Command {
  return addKeyOptions(command.option('--max-credits <n>', maxCredits, readCount))
}

/** As `addServiceOptions`, for a command that is limited otherwise. */
export function addKeyOptions(command: Command, json = 'print JSON, errors too'): Command {
  return command
    .option('--yes', 'do not ask above 10,000 credits')
    .option('--key-file <file>', 'file with the key; else ETN_MARKET_API_KEY, else a prompt')
    .option('--base-url <url>', 'address of the service; else ETN_MARKET_BASE_URL')
    .option('--json', json)
}

/** A whole number, 0 or more. */
export function readCount(text: string): number {
  if (/^\d+$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text)
  throw new InvalidArgumentError('It must be a whole number.')
}

/** As `readCount`, above 0: a limit or a balance of 0 allows nothing. */
export function readSomeCredits(text: string): number {
  if (readCount(text) > 0) return Number(text)
  throw new InvalidArgumentError('It must be above 0.')
}

/** A number of items; another text is left to the library, which says what is wrong. */
export function readItems(text: string): number | string {
  return /^\d{1,9}$/.test(text) ? Number(text) : text
}

/** Milliseconds of a duration such as `30s`, `5m`, `1h` or `1d`. */
export function readInterval(text: string): number {
  const ms = parseDuration(text)
  if (ms !== undefined && ms >= 1_000 && ms <= DAY_MS) return ms
  throw new InvalidArgumentError('It must be a duration such as 30s, 5m or 1h, from 1s to 1d.')
}

/** An example, which ends the help of a command. */
export function addExample(command: Command, ...lines: readonly string[]): Command {
  const title = lines.length > 1 ? 'Examples' : 'Example'
  return command.addHelpText('after', `\n${title}:\n${lines.map((line) => `  $ etn-market ${line}`).join('\n')}`)
}
