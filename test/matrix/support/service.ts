import { spawn } from 'node:child_process'
import type { Charge, FakeServiceOptions, JournalEntry } from 'etn-market/fake'
import { follow } from '../../support/child.ts'
import { cleanEnv } from './exec.ts'
import type { Project } from './project.ts'

/** The fake service, controlled by its HTTP routes below `/_fake`. */
export interface ServiceControl {
  /** Resets the service and sets these faults. */
  reset(faults?: readonly object[]): Promise<void>
  ledger(): Promise<Charge[]>
  journal(): Promise<JournalEntry[]>
}

export function controlService(baseUrl: string): ServiceControl {
  const request = async (method: string, path: string, body?: object) => {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) }
    const response = await fetch(`${new URL(baseUrl).origin}/_fake/${path}`, init)
    if (!response.ok) throw new Error(`The fake service rejected ${path}: ${await response.text()}`)
    return response.json()
  }
  return {
    async reset(faults = []) {
      await request('POST', 'reset')
      for (const fault of faults) await request('POST', 'faults', fault)
    },
    ledger: () => request('GET', 'ledger') as Promise<Charge[]>,
    journal: () => request('GET', 'journal') as Promise<JournalEntry[]>,
  }
}

/** The fake service in a separate process. */
export interface Service extends ServiceControl {
  readonly baseUrl: string
  close(): Promise<void>
}

/** Exits when its stdin is closed, so it never outlives the matrix. */
const SCRIPT = `
import { createFakeService } from 'etn-market/fake'
const fake = createFakeService(JSON.parse(process.argv[2]))
const { url } = await fake.listen()
process.stdout.write(url + '\\n')
process.stdin.on('end', () => fake.close()).resume()
`

export async function startService(project: Project, options: FakeServiceOptions): Promise<Service> {
  const script = project.write('service.mjs', SCRIPT)
  const args = [script, JSON.stringify(options)]
  const child = follow(spawn(process.execPath, args, { cwd: project.folder, env: cleanEnv() }))
  const [, baseUrl = ''] = await child.prints(/^(http:.*)\n/)
  return {
    baseUrl,
    ...controlService(baseUrl),
    async close() {
      child.process.stdin?.end()
      const { code } = await child.ended()
      if (code !== 0) throw new Error(`The fake service ended with ${code}: ${child.printed()}`)
    },
  }
}
