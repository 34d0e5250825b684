import { createServer } from 'node:net'
import { join } from 'node:path'
import { check } from '../scenario/check.ts'
import { exec, tail } from '../support/exec.ts'
import { MODULES } from '../support/project.ts'
import type { Check } from '../support/result.ts'
import { BUN, DENO, DENO_FLAGS, MAX_EXIT_MS, versionOfProgram } from './processes.ts'
import { bundleScenario } from './runtime.ts'

/** What the program has counted, and how many requests it has sent beside those of its clients. */
export interface SpendingReport {
  readonly counted: number
  readonly asked: number
}

const COST = 25
const BODY = JSON.stringify({ data: { usd: '0.5' } })
const ANSWER = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-credits-cost: ${COST}\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`

/** Answers the first request of each connection and keeps it open; executes and charges each further one, and resets the connection. */
async function startBreakingServer() {
  const paths: string[] = []
  const server = createServer((socket) => {
    let isKept = false
    let head = ''
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      head += bytes
      if (!head.endsWith('\r\n\r\n')) return
      paths.push(head.split(' ')[1] ?? '')
      head = ''
      if (isKept) socket.resetAndDestroy()
      else socket.write(ANSWER)
      isKept = true
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const isOfProgram = (path: string) => path === '/own'
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    charged: () => COST * paths.filter((path) => !isOfProgram(path)).length,
    ofProgram: () => paths.filter(isOfProgram).length,
    close: () => server.close(),
  }
}

/** These runtimes send a GET again by themselves when a kept connection breaks. What a client sends must be sent once. */
export const keptConnections = (
  [
    ['Bun', BUN, ['run']],
    ['Deno', DENO, DENO_FLAGS],
  ] as const
).map(
  ([name, bin, flags]): Check => ({
    name: `${name}, kept connections that break`,
    async run(installed) {
      const version = await versionOfProgram(bin)
      const project = installed.project('runtimes')
      const script = await bundleScenario(project, 'kept-connections', 'kept-connections.mjs')
      const server = await startBreakingServer()
      const options = { cwd: project.folder, limitMs: 60_000 }
      const { code, stdout, stderr, exitMs } = await exec(
        join(MODULES, bin),
        [...flags, script, server.baseUrl],
        options,
      )
      server.close()
      if (code !== 0 || stderr !== '') throw new Error(`exited with ${code}: ${tail(stdout + stderr)}`)
      const { counted, asked } = JSON.parse(stdout) as SpendingReport
      check('what the client has counted, and what was charged', counted, server.charged())
      check('exits by itself', exitMs <= MAX_EXIT_MS, true)
      const resent = server.ofProgram() - asked
      const detail = `${counted} credits charged and counted; ${resent} of the program's own ${asked} requests were sent again by the runtime`
      return { version, detail }
    },
  }),
)
