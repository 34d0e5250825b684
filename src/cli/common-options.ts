import { type Command, InvalidArgumentError } from 'commander'

/** The options of a command that calls the service. */
export function addServiceOptions(command: Command, maxCredits = 'the most that may be charged'): Command {
  return command
    .option('--max-credits <n>', maxCredits, readCredits)
    .option('--yes', 'do not ask above 10,000 credits')
    .option('--key-file <file>', 'file with the key; else ETN_MARKET_API_KEY, else a prompt')
    .option('--base-url <url>', 'address of the service; else ETN_MARKET_BASE_URL')
    .option('--json', 'print JSON, errors too')
}

/** A whole number of credits, 0 or more. */
export function readCredits(text: string): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number
  throw new InvalidArgumentError('It must be a whole number of credits.')
}

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds of a duration such as `30s`, `5m`, `1h` or `1d`, at least `minMs`. */
export function durationOf(minMs: number): (text: string) => number {
  return (text) => {
    const [, count = '', unit = ''] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text) ?? []
    const ms = Number(count) * UNITS[unit as keyof typeof UNITS]
    if (ms >= minMs && ms <= UNITS.d) return ms
    throw new InvalidArgumentError(`It must be a duration such as 30s, 5m or 1h, from ${minMs / 1_000}s to 1d.`)
  }
}

/** An example, which ends the help of a command. */
export function addExample(command: Command, ...lines: readonly string[]): Command {
  const title = lines.length > 1 ? 'Examples' : 'Example'
  return command.addHelpText('after', `\n${title}:\n${lines.map((line) => `  $ etn-market ${line}`).join('\n')}`)
}
