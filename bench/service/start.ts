import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { SERVER_CORE, startedOn } from '../support/cores.ts'

/** Where the loopback service listens and what it knows. */
export interface Service {
  readonly baseUrl: string
  readonly addresses: readonly string[]
  stop(): void
}

export async function startService(): Promise<Service> {
  const [program, args] = startedOn(SERVER_CORE, [fileURLToPath(new URL('server.mjs', import.meta.url))])
  const server = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const told = await Promise.race([once(server, 'message'), once(server, 'exit').then(() => undefined)])
  if (!told) throw new Error('The loopback service did not start.')
  return { ...(told[0] as Omit<Service, 'stop'>), stop: () => server.kill() }
}
