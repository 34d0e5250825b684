/** One line of the matrix. */
export interface Result {
  /** The runtime or tool: `Node 22, require`. */
  readonly name: string
  readonly outcome: 'ok' | 'failed' | 'not run'
  readonly version?: string
  /** How long the check took. */
  readonly ms: number
  /** Figures, or the reason why the check failed or did not run. */
  readonly detail: string
  /** Cells of the README's table, if the check has a row there. */
  readonly cells?: readonly string[]
}

/** What a check returns that has not failed. */
export type Found = Pick<Result, 'version' | 'detail' | 'cells'>

/** Thrown when a runtime or tool is not installed: "not run", and a failure in CI. */
export class NotInstalledError extends Error {}

/** Runs one check and returns its result. */
export async function attempt(name: string, run: () => Promise<Found>): Promise<Result> {
  const startedAt = performance.now()
  const ms = () => performance.now() - startedAt
  try {
    return { name, outcome: 'ok', ...(await run()), ms: ms() }
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    return { name, outcome: error instanceof NotInstalledError ? 'not run' : 'failed', detail, ms: ms() }
  }
}

export function lineOf({ name, outcome, version = '', ms, detail }: Result): string {
  const seconds = `${(ms / 1_000).toFixed(1)} s`.padStart(7)
  return `${outcome.padEnd(8)} ${seconds}  ${name.padEnd(44)} ${version.padEnd(16)} ${detail}`
}
