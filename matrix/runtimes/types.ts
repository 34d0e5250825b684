import type { Report } from '../journey/types.ts'
import type { Project } from '../support/project.ts'

/** A place where the client is said to run. */
export interface Runtime {
  readonly name: string
  /** What it is, such as `22.23.3`. @throws NotHere when it is not on this machine. */
  version(): Promise<string>
  /**
   * How often its own fetch sends a lost request again, out of reach of any client: in a page nothing prevents it.
   * @default 0
   */
  readonly resends?: number
  run(project: Project, baseUrl: string): Promise<Trip>
}

export interface Trip {
  report: Report
  /** How long the process lived on after its report, where there is a process that has to end. */
  exitMs?: number
}
