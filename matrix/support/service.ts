import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Charge, FakeServiceOptions, JournalEntry } from 'etn-market/fake'
import { plainEnv } from './exec.ts'
import type { Project } from './project.ts'

/** The fake service in a process of its own, steered by what it offers to programs on this machine. */
export interface Service {
  readonly baseUrl: string
  /** Forgets everything and sets these faults. */
  begin(faults?: readonly object[]): Promise<void>
  ledger(): Promise<Charge[]>
  journal(): Promise<JournalEntry[]>
  close(): Promise<void>
}

/** It ends when nobody holds its input open any more. */
const SCRIPT = `
import { createFakeService } from 'etn-market/fake'
const fake = createFakeService(JSON.parse(process.argv[2]))
const { url } = await fake.listen()
process.stdout.write(url + '\\n')
process.stdin.on('end', () => fake.close()).resume()
`

export async function startService(project: Project, options: FakeServiceOptions): Promise<Service> {
  const script = project.write('service.mjs', SCRIPT)
  const child = spawn(process.execPath, [script, JSON.stringify(options)], {
    cwd: project.folder,
    env: plainEnv(),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const baseUrl = String(line).trim()
  const ask = async (method: string, what: string, body?: object) => {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) }
    const response = await fetch(`${new URL(baseUrl).origin}/_fake/${what}`, init)
    if (!response.ok) throw new Error(`The fake service refused ${what}: ${await response.text()}`)
    return response.json()
  }
  return {
    baseUrl,
    async begin(faults = []) {
      await ask('POST', 'reset')
      for (const fault of faults) await ask('POST', 'faults', fault)
    },
    ledger: () => ask('GET', 'ledger') as Promise<Charge[]>,
    journal: () => ask('GET', 'journal') as Promise<JournalEntry[]>,
    async close() {
      const ended = once(child, 'exit')
      child.stdin.end()
      await ended
    },
  }
}
