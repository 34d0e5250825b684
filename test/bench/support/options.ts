import { parseArgs } from 'node:util'

/** The command line of a run. */
export interface Options {
  /** How often everything is measured; undefined without `--rounds`. */
  readonly rounds: number | undefined
  /** Whether all sections and all clients are measured. */
  readonly isComplete: boolean
  /** Whether the tables go into the README. */
  readonly write: boolean
  /** The commit that the working tree is compared with, and nothing else is measured. */
  readonly against: string | undefined
  /** The beginnings of the names of the sections; all without it. */
  readonly only: readonly string[] | undefined
  wantsSection(name: string): boolean
  wantsClient(id: string): boolean
}

const OPTIONS = {
  only: { type: 'string' },
  clients: { type: 'string' },
  rounds: { type: 'string' },
  against: { type: 'string' },
  write: { type: 'boolean' },
  // For the program `fleet`, which reads them itself.
  small: { type: 'boolean' },
  patient: { type: 'boolean' },
} as const

export function readOptions(args: readonly string[], clientIds: readonly string[]): Options {
  const { values } = parseArgs({ args: [...args], options: OPTIONS })
  const only = values.only?.split(',')
  const clients = values.clients?.split(',')
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds)
  if (rounds !== undefined && !(Number.isInteger(rounds) && rounds >= 1))
    throw new Error('--rounds must be an integer of at least 1.')
  const unknown = clients?.filter((id) => !clientIds.includes(id)) ?? []
  if (unknown.length > 0) throw new Error(`--clients: no ${unknown.join(', ')}; choose from ${clientIds.join(', ')}.`)
  return {
    rounds,
    isComplete: only === undefined && clients === undefined,
    write: values.write ?? false,
    against: values.against,
    only,
    wantsSection: (name) => only?.some((prefix) => name.startsWith(prefix)) ?? true,
    wantsClient: (id) => clients?.includes(id) ?? true,
  }
}
