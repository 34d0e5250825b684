import type { ScenarioReport } from '../scenario/types.ts'
import type { Project } from '../support/project.ts'

/** A runtime that the package supports. */
export interface Runtime {
  readonly name: string
  /** The installed version, for example `22.23.3`. @throws NotInstalledError if there is none. */
  version(): Promise<string>
  /**
   * How often the runtime's own `fetch` may send a lost request again. No client can prevent that in a page.
   * @default 0
   */
  readonly maxResends?: number
  run(project: Project, baseUrl: string): Promise<RuntimeRun>
}

export interface RuntimeRun {
  report: ScenarioReport
  /** How long the process lived after its report, if the runtime is a process that must exit. */
  exitMs?: number
}
