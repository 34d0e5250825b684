import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { FakeServiceOptions } from 'etn-market/fake'
import { controlService, type ServiceControl } from './control.ts'
import { cleanEnv } from './exec.ts'
import type { Project } from './project.ts'

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
  const child = spawn(process.execPath, [script, JSON.stringify(options)], {
    cwd: project.folder,
    env: cleanEnv(),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const baseUrl = String(line).trim()
  return {
    baseUrl,
    ...controlService(baseUrl),
    async close() {
      const exited = once(child, 'exit')
      child.stdin.end()
      await exited
    },
  }
}
