import { check } from '../journey/check.ts'
import { faults, keys, LOST, UNCERTAIN } from '../journey/keys.ts'
import type { Report } from '../journey/types.ts'
import type { Project } from '../support/project.ts'
import { attempt, type Result } from '../support/result.ts'
import { type Service, startService } from '../support/service.ts'
import { chromium } from './chromium.ts'
import { processes } from './processes.ts'
import type { Runtime } from './types.ts'
import { workerd } from './workerd.ts'

const runtimes: readonly Runtime[] = [...processes, workerd, chromium]

const format = (figure: number) => figure.toLocaleString('en')

/** The same journey on every runtime, one after another, each on a service that has forgotten the one before. */
export async function runRuntimes(
  project: Project,
  wanted: (name: string) => boolean,
  tell: (result: Result) => void,
): Promise<void> {
  const chosen = runtimes.filter(({ name }) => wanted(name))
  if (chosen.length === 0) return
  const credits = Object.fromEntries(Object.values(keys).map((key) => [key, 1_000_000]))
  const service = await startService(project, { keys: credits })
  try {
    for (const runtime of chosen) tell(await attempt(runtime.name, () => travel(runtime, project, service)))
  } finally {
    await service.close()
  }
}

async function travel(runtime: Runtime, project: Project, service: Service): Promise<Omit<Result, 'name' | 'outcome'>> {
  const version = await runtime.version()
  await service.begin(faults)
  const { report, exitMs } = await runtime.run(project, service.baseUrl)
  if (report.failure !== undefined) throw new Error(`${version}: ${report.failure}`)
  const resent = await compare(report, service, runtime.resends ?? 0)
  const { credits, uncertain, requests, ms } = report
  const again = resent === 0 ? '' : ` (${resent} more were sent by the runtime itself)`
  const ended = exitMs === undefined ? '' : `, ended by itself after ${exitMs} ms`
  return {
    version,
    detail: `${credits} credits charged and ${uncertain} uncertain, ${requests} requests${again}, ${ms} ms${ended}`,
    cells: [
      runtime.name,
      version,
      format(credits),
      format(uncertain),
      format(requests),
      format(resent),
      format(ms),
      exitMs === undefined ? '–' : format(exitMs),
    ],
  }
}

/** What the clients counted is what the service counted, but for what the runtime itself sent again of the lost request. */
async function compare(report: Report, service: Service, resends: number): Promise<number> {
  const [ledger, journal] = await Promise.all([service.ledger(), service.journal()])
  const charged = ledger.reduce((sum, { credits }) => sum + credits, 0)
  const isLost = ({ key, operation }: { key: string | null; operation: string | null }) =>
    key === keys.lost && operation === 'token.price'
  const resent = journal.filter(isLost).length - 1
  const resentCredits = ledger.filter(isLost).reduce((sum, { credits }) => sum + credits, 0) - LOST
  const refused = journal.filter(({ key }) => key === keys.budget).length
  check(
    'counted by the clients, and by the service',
    { uncertain: report.uncertain, total: report.credits + report.uncertain, requests: report.requests, refused: 0 },
    { uncertain: UNCERTAIN, total: charged - resentCredits, requests: journal.length - resent, refused },
  )
  if (resent > resends) throw new Error(`the runtime sent the lost request ${resent} times more, unseen by the client`)
  return resent
}
