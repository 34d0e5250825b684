import { phones } from '../native/run.ts'
import { check } from '../scenario/check.ts'
import { faults, keys, LOST_CREDITS, type ScenarioReport, UNCERTAIN_CREDITS } from '../scenario/scenario.ts'
import type { Project } from '../support/project.ts'
import type { Check, Found } from '../support/result.ts'
import { type Service, startService } from '../support/service.ts'
import { chromium, firefox, webKit } from './browsers.ts'
import { edge } from './edge.ts'
import { inPage } from './pages.ts'
import { processes } from './processes.ts'
import type { Runtime } from './runtime.ts'
import { oldestWorkerd, workerd } from './workerd.ts'

const format = (figure: number) => figure.toLocaleString('en')
const credits = Object.fromEntries(Object.values(keys).map((key) => [key, 1_000_000]))

/** Runs the same scenario on every runtime. */
export const runtimes = [
  ...processes,
  workerd,
  oldestWorkerd,
  edge,
  ...[chromium, firefox, webKit].map(inPage),
  ...phones,
].map(
  (runtime): Check => ({
    name: runtime.name,
    async run(installed) {
      const version = await runtime.version()
      const project = installed.project(/dependencies/.test(runtime.name) ? runtime.name : 'runtimes')
      const service = await startService(project, { keys: credits })
      try {
        return await runScenarioOn(runtime, version, project, service)
      } finally {
        await service.close()
      }
    },
  }),
)

async function runScenarioOn(runtime: Runtime, version: string, project: Project, service: Service): Promise<Found> {
  await service.reset(faults)
  const { report, exitMs } = await runtime.run(project, service.baseUrl)
  if (report.failure !== undefined) throw new Error(`${version}: ${report.failure}`)
  const resent = await compareWithService(report, service, runtime.maxResends ?? 0)
  const { credits, uncertain, requests, ms } = report
  const again = resent === 0 ? '' : ` (the runtime itself resent ${resent})`
  const exit = exitMs === undefined ? '' : `, exited by itself after ${exitMs} ms`
  return {
    version,
    detail: `${credits} credits charged and ${uncertain} uncertain, ${requests} requests${again}, ${ms} ms${exit}`,
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

/** Compares the counts of the clients with those of the service, apart from requests that the runtime itself resent. */
async function compareWithService(report: ScenarioReport, service: Service, maxResends: number): Promise<number> {
  const [ledger, journal] = await Promise.all([service.ledger(), service.journal()])
  const charged = ledger.reduce((sum, { credits }) => sum + credits, 0)
  const isLost = ({ key, operation }: { key: string | null; operation: string | null }) =>
    key === keys.lost && operation === 'token.price'
  const resent = journal.filter(isLost).length - 1
  const resentCredits = ledger.filter(isLost).reduce((sum, { credits }) => sum + credits, 0) - LOST_CREDITS
  const overBudget = journal.filter(({ key }) => key === keys.budget).length
  check(
    'counts of the clients and of the service',
    { uncertain: report.uncertain, total: report.credits + report.uncertain, requests: report.requests, overBudget },
    {
      uncertain: UNCERTAIN_CREDITS,
      total: charged - resentCredits,
      requests: journal.length - resent,
      overBudget: 0,
    },
  )
  if (resent > maxResends) throw new Error(`the runtime resent the lost request ${resent} times`)
  return resent
}
