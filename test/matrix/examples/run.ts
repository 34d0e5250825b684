import type { Project } from '../support/project.ts'
import { attempt, type Result } from '../support/result.ts'
import { runWorker } from './worker.ts'

/** Runs the examples that need a runtime of the matrix. */
export async function runExamples(
  createProject: (name: string) => Project,
  isWanted: (name: string) => boolean,
  addResult: (result: Result) => void,
): Promise<void> {
  const name = 'examples/worker on workerd'
  if (isWanted(name)) addResult(await attempt(name, () => runWorker(createProject('worker'))))
}
