import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { nodeOnCore, SERVER_CORE } from '../support/cores.ts'

/** The running loopback service. */
export interface Service {
  readonly baseUrl: string
  /** Addresses that the workloads request. */
  readonly addresses: readonly string[]
  stop(): void
}

export async function startService(): Promise<Service> {
  const [program, args] = nodeOnCore(SERVER_CORE, [fileURLToPath(new URL('server.mjs', import.meta.url))])
  const server = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const message = await Promise.race([once(server, 'message'), once(server, 'exit').then(() => undefined)])
  if (!message) throw new Error('The loopback service did not start.')
  return { ...(message[0] as Omit<Service, 'stop'>), stop: () => server.kill() }
}
