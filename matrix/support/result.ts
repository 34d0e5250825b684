/** One line of the matrix. */
export interface Result {
  /** Where it ran: `Node 22, require`. */
  readonly name: string
  readonly outcome: 'ok' | 'failed' | 'not run'
  readonly version?: string
  /** Figures, or why it failed or was not run. */
  readonly detail: string
  /** Cells of the README's table, where it has a line there. */
  readonly cells?: readonly string[]
}

/** Thrown where a runtime cannot be had: a plain "not run", or in CI a failure. */
export class NotHere extends Error {}

/** Runs one check and turns its end into a line. */
export async function attempt(name: string, run: () => Promise<Omit<Result, 'name' | 'outcome'>>): Promise<Result> {
  try {
    return { name, outcome: 'ok', ...(await run()) }
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    return { name, outcome: error instanceof NotHere ? 'not run' : 'failed', detail }
  }
}

export function lineOf({ name, outcome, version, detail }: Result): string {
  return `${outcome.padEnd(8)} ${name.padEnd(44)} ${(version ?? '').padEnd(16)} ${detail}`
}
