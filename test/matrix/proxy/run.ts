import { exec, tail } from '../support/exec.ts'
import type { Project } from '../support/project.ts'
import type { Check, Found } from '../support/result.ts'
import { startService } from '../support/service.ts'
import { bundle, type ProxyServer, servers } from './servers.ts'
import { KEY } from './settings.ts'

/** Serves the proxy in every server. The same visitor comes to each. */
export const proxies = servers.map(
  (server): Check => ({
    name: server.name,
    run: (installed) => visitServer(server, installed.project(server.name)),
  }),
)

async function visitServer(server: ProxyServer, project: Project): Promise<Found> {
  const version = await server.version()
  const service = await startService(project, { keys: { [KEY]: 1_000_000 } })
  try {
    const { origin, close } = await server.start(project, service.baseUrl)
    try {
      const visit = await bundle(project, 'visit/process', 'visit.mjs')
      const { code, stdout, stderr } = await exec(process.execPath, [visit, origin, service.baseUrl], {
        cwd: project.folder,
        limitMs: 60_000,
      })
      if (code !== 0) throw new Error(`${version}: exited with ${code}: ${tail(stdout + stderr, 30)}`)
      return { version, detail: stdout.trim() }
    } finally {
      await close()
    }
  } finally {
    await service.close()
  }
}
