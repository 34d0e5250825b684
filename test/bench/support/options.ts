/** The command line of a run. */
export interface Options {
  /** How often everything is measured. */
  readonly rounds: number
  /** Whether all sections and all clients are measured. */
  readonly isComplete: boolean
  /** Whether the tables go into the README. */
  readonly write: boolean
  wantsSection(name: string): boolean
  wantsClient(id: string): boolean
}

const DEFAULT_ROUNDS = 9

export function readOptions(args: readonly string[], clientIds: readonly string[]): Options {
  const option = (name: string) => args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3)
  const only = option('only')?.split(',')
  const clients = option('clients')?.split(',')
  const rounds = Number(option('rounds') ?? DEFAULT_ROUNDS)
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds must be an integer of at least 1.')
  const unknown = clients?.filter((id) => !clientIds.includes(id)) ?? []
  if (unknown.length > 0) throw new Error(`--clients: no ${unknown.join(', ')}; choose from ${clientIds.join(', ')}.`)
  return {
    rounds,
    isComplete: only === undefined && clients === undefined,
    write: args.includes('--write'),
    wantsSection: (name) => only?.some((prefix) => name.startsWith(prefix)) ?? true,
    wantsClient: (id) => clients?.includes(id) ?? true,
  }
}
