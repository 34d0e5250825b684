/** One line of the matrix. */
export interface Result {
  /** The runtime or tool: `Node 22, require`. */
  readonly name: string
  readonly outcome: 'ok' | 'failed' | 'not run'
  readonly version?: string
  /** Figures, or the reason why the check failed or did not run. */
  readonly detail: string
  /** Cells of the README's table, if the check has a row there. */
  readonly cells?: readonly string[]
}

/** Thrown when a runtime or tool is not installed: "not run", and a failure in CI. */
export class NotInstalledError extends Error {}

/** Runs one check and returns its result. */
export async function attempt(name: string, run: () => Promise<Omit<Result, 'name' | 'outcome'>>): Promise<Result> {
  try {
    return { name, outcome: 'ok', ...(await run()) }
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    return { name, outcome: error instanceof NotInstalledError ? 'not run' : 'failed', detail }
  }
}

export function lineOf({ name, outcome, version, detail }: Result): string {
  return `${outcome.padEnd(8)} ${name.padEnd(44)} ${(version ?? '').padEnd(16)} ${detail}`
}
