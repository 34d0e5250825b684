/** Reports bytes and CPU time of the calls of one build or of two, turn by turn. Both run in one process, so that the machine is the same for both. */
import { bytesOf, connectToMemory, cpuOf } from './memory.mjs'

const { folders, workloads, turns } = JSON.parse(process.env.JOB)

const builds = await Promise.all(folders.map(connectToMemory))
const figures = {}
for (const [name, { warmUp, calls }] of Object.entries(workloads)) {
  for (const repeat of builds) await repeat(name, warmUp)
  figures[name] = []
  for (let turn = 0; turn < turns; turn++) {
    const order = [...builds.keys()]
    if (turn % 2 === 1) order.reverse()
    const measured = []
    for (const build of order) {
      const bytes = await bytesOf(builds[build], name, calls)
      measured[build] = { bytes, us: await cpuOf(builds[build], name, calls) }
    }
    figures[name].push(measured)
  }
}
process.send(figures)
