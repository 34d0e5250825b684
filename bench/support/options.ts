/** What a run was asked for. */
export interface Options {
  /** How often everything is measured. */
  readonly rounds: number
  /** Whether everything is to be run, by everybody. */
  readonly whole: boolean
  /** Whether the README is to be written. */
  readonly write: boolean
  /** Whether a section was asked for. */
  wants(section: string): boolean
  /** Whether a client was asked for. */
  measures(client: string): boolean
}

const ROUNDS = 9

export function readOptions(args: readonly string[]): Options {
  const given = (name: string) => args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3)
  const only = given('only')?.split(',')
  const clients = given('clients')?.split(',')
  const rounds = Number(given('rounds') ?? ROUNDS)
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds takes a whole number from 1 on.')
  return {
    rounds,
    whole: only === undefined && clients === undefined,
    write: args.includes('--write'),
    wants: (section) => only?.some((part) => section.startsWith(part)) ?? true,
    measures: (client) => clients?.includes(client) ?? true,
  }
}
